/** Signs that have a name. */
import type { Rule } from '../../normalize/rule.js';

const NAMES: Readonly<Record<string, string>> = {
  '&': '和',
  '+': '加',
  '±': '正负',
  '×': '乘',
  '÷': '除以',
  '=': '等于',
  '≈': '约等于',
  '≒': '约等于',
  '≠': '不等于',
  '≤': '小于等于',
  '≥': '大于等于',
  '%': '百分号',
  '‰': '千分之',
  '℃': '摄氏度',
  '°': '度',
  '#': '井号',
  '@': 'at',
  '§': '节',
  '√': '根号',
  '∞': '无穷大',
  π: '派',
  α: '阿尔法',
  β: '贝塔',
  γ: '伽马',
  δ: '德尔塔',
  Δ: '德尔塔',
  θ: '西塔',
  λ: '兰姆达',
  μ: '谬',
  µ: '谬',
  σ: '西格马',
  Σ: '西格马',
  ω: '欧米伽',
  Ω: '欧姆',
  '¥': '元',
  '￥': '元',
  $: '美元',
  '€': '欧元',
  '£': '英镑',
};

export const isNamed = (sign: string): boolean => Object.hasOwn(NAMES, sign) || '⁰¹²³⁴⁵⁶⁷⁸⁹'.includes(sign);

export const signRule: Rule = {
  name: 'sign',
  begins: { signs: Object.keys(NAMES).join('') },
  apply(scan, at) {
    scan.out.say(NAMES[scan.text[at]!]!, at, at + 1);
    return at + 1;
  },
};

/** Between words a slash parts. */
export const slashRule: Rule = {
  name: 'slash',
  begins: { signs: '/\\' },
  apply(scan, at) {
    scan.out.pause(',', at, at + 1);
    return at + 1;
  },
};
