/** Dates, times of day, telephone numbers and codes. */

import { form } from '../../normalize/form.js';
import { counted } from '../numbers/counters.js';
import { digitNames, integerSound, numerals } from '../numbers/numerals.js';

const year = (digits: string): string => counted(numerals(digits), '年');
const month = (digits: string): string => counted(numerals(digits), '月');
const day = (digits: string): string => (Number(digits) === 1 ? 'ツイタチ' : counted(numerals(digits), '日'));
const isDay = (months: string, days: string): boolean =>
  Number(months) >= 1 && Number(months) <= 12 && Number(days) >= 1 && Number(days) <= 31;

/** "2024/5/1", "2024-12-25", "2024.3.3" */
export const dateRule = form(
  'date',
  { digits: { next: /[-/]/, point: /\./ } },
  /(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/y,
  ([, years, , months, days]) =>
    isDay(months!, days!) ? `${year(years!)} ${month(months!)} ${day(days!)}` : undefined,
);

/** "5/3(金)" */
export const monthDayRule = form(
  'month and day',
  { digits: { next: /\// } },
  /(\d{1,2})\/(\d{1,2})(?=\s?[(（][月火水木金土日])/y,
  ([, months, days]) => (isDay(months!, days!) ? `${month(months!)} ${day(days!)}` : undefined),
);

const WEEKDAYS: Readonly<Record<string, string>> = {
  月: 'ゲツ',
  火: 'カ',
  水: 'スイ',
  木: 'モク',
  金: 'キン',
  土: 'ド',
  日: 'ニチ',
};
export const weekdayRule = form(
  'day of the week in brackets',
  { signs: '(（' },
  /[(（]\s?([月火水木金土日])\s?[)）]/y,
  ([, name]) => WEEKDAYS[name!]!,
);

/** "12:30", "10:15:30" */
export const clockRule = form(
  'clock',
  { digits: { next: /[:：]/ } },
  /([01]?\d|2[0-4])[:：]([0-5]\d)(?:[:：]([0-5]\d))?(?!\d)/y,
  ([, hours, minutes, seconds]) => {
    const said = [counted(numerals(hours!), '時')];
    if (minutes !== '00' || seconds !== undefined) said.push(counted(numerals(minutes!), '分'));
    if (seconds !== undefined) said.push(counted(numerals(seconds), '秒'));
    return said.join(' ');
  },
);

/** "090-1234-5678", "03(1234)5678" */
export const phoneNumberRule = form(
  'telephone number',
  { digits: { next: /[-(]/ } },
  /0\d{1,4}[-(]\d{1,4}[-)]\d{3,4}(?!\d)/y,
  ([number]) => number!.split(/[-()]/).map(digitNames).join(' '),
);

export const postalCodeRule = form('postal code', { signs: '〒' }, /〒\s?(\d{3})-?(\d{4})(?!\d)/y, ([, first, last]) =>
  ['ユービンバンゴー', digitNames(first!), digitNames(last!)].join(' '),
);

/** "1-2-3" in an address */
export const blockNumberRule = form(
  'numbers of an address',
  { digits: { next: /-/ } },
  /\d{1,3}(?:-\d{1,4}){2}(?![\d-]|\s?=)/y,
  ([numbers]) => numbers!.split('-').map(integerSound).join(' ノ '),
);

/** A number with leading zeros, or longer than any that is counted. */
export const codeRule = form('code', { digits: 'any digits', inside: true }, /0\d+(?![\d.]|,\d{3})/y, ([digits]) =>
  digitNames(digits!),
);
