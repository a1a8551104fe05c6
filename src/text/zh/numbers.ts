/** Numbers in Chinese. */

const DIGITS = '零一二三四五六七八九';
const UNITS = ['', '十', '百', '千'];
const MYRIADS = ['', '万', '亿', '兆', '京'];
const LONGEST = 20;

/** A whole number: "12345" → 一万两千三百四十五. Longer ones than are counted are said digit by digit. */
export function integer(digits: string): string {
  const plain = digits.replace(/^0+(?=\d)/, '');
  if (plain === '0') return '零';
  if (plain.length > LONGEST) return digitNames(plain);
  const groups = Math.ceil(plain.length / 4);
  let said = '';
  let gap = false;
  for (let group = groups - 1; group >= 0; group--) {
    const four = plain.slice(Math.max(0, plain.length - 4 * (group + 1)), plain.length - 4 * group).padStart(4, '0');
    if (four === '0000') {
      gap = said !== '';
      continue;
    }
    const zero = said !== '' && (gap || four[0] === '0');
    said += (zero ? '零' : '') + belowMyriad(four, said === '') + MYRIADS[group]!;
    gap = false;
  }
  return said.replace(/^二(?=[千万亿])/, '两').replace(/(?<=[万亿零])二(?=千)/g, '两');
}

/** `first`: nothing stands before it, so that ten is said without a one. */
function belowMyriad(four: string, first: boolean): string {
  let said = '';
  let gap = false;
  for (const [i, char] of [...four].entries()) {
    const digit = Number(char);
    const unit = UNITS[3 - i]!;
    if (digit === 0) {
      gap = said !== '';
      continue;
    }
    if (gap) said += '零';
    gap = false;
    const bare = digit === 1 && unit === '十' && said === '' && first;
    said += (bare ? '' : DIGITS[digit]!) + unit;
  }
  return said === '二百' ? '两百' : said;
}

/** Digits one by one: years, rooms. */
export const digitNames = (digits: string): string => [...digits].map((digit) => DIGITS[Number(digit)]).join('');

/** Digits of a telephone number, where one is 幺. */
export const codeNames = (digits: string): string => digitNames(digits).replaceAll('一', '幺');

export const decimal = (whole: string, decimals: string): string => `${integer(whole)}点${digitNames(decimals)}`;

/** Before these two things are 二, not 两. */
const ORDINAL_AFTER =
  /^(?:号|楼|班|月|日|级|等|路|线|栋|层|环|股|分之|年级|中|院|队|组|师|团|战|胎|手|次方|氧|进制|维)/;
/** What two of are 两. */
const MEASURES =
  /^(?:个|本|次|位|只|条|张|天|年|岁|小时|分钟|秒|周|倍|斤|公斤|千克|克|吨|块|元|角|毛|米|公里|里|厘米|升|毫升|杯|瓶|碗|件|套|双|对|间|家|所|座|辆|架|艘|台|部|篇|页|句|段|首|种|类|样|项|门|场|届|名|人|口|头|匹|棵|朵|粒|颗|片|块钱|美元|欧元|英镑|日元|点|刻钟|季|代|度|百|千|万|亿|星期|步|笔|批|份|副|把|支|枝|根|面|道|扇|堆|群|排|行|串|滴|桶|箱|包|袋|盒|盘|顿|遍|趟|回|下|声|层楼|国|省|市|县|成|瓦|伏|兆|G|平方|立方|亩|公顷|摄氏度)/;

/** A number before what it counts: 2 is 两 before a measure word. */
export const counting = (number: string, after: string): string =>
  number === '二' && MEASURES.test(after) && !ORDINAL_AFTER.test(after) ? '两' : number;
