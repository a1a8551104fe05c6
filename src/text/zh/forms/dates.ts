/** Dates, times of day, telephone numbers. */
import { codeNames, counting, digitNames, integer } from '../numbers.js';
import { hanForm } from './han.js';

const isDay = (months: string, days: string): boolean =>
  Number(months) >= 1 && Number(months) <= 12 && Number(days) >= 1 && Number(days) <= 31;

/** "2024-05-01", "2024/12/25", "2024.3.8" */
export const dateRule = hanForm(
  'date',
  { digits: { next: /[-/]/, point: /\./ } },
  /(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/y,
  ([, years, , months, days]) =>
    isDay(months!, days!) ? `${digitNames(years!)}年${integer(months!)}月${integer(days!)}日` : undefined,
);

/** "9:45", "10:15:30" */
export const clockRule = hanForm(
  'clock',
  { digits: { next: /[:：]/ } },
  /([01]?\d|2[0-4])[:：]([0-5]\d)(?:[:：]([0-5]\d))?(?![\d:：])/y,
  ([, hours, minutes, seconds]) => {
    const hour = `${counting(integer(hours!), '点')}点`;
    if (minutes === '00' && seconds === undefined) return hour;
    const said = `${hour}${minutes!.startsWith('0') ? '零' : ''}${minutes === '00' ? '' : integer(minutes!)}分`;
    return seconds === undefined ? said : `${said}${integer(seconds)}秒`;
  },
);

/** "138-1234-5678", "010-12345678", and mobile numbers without hyphens */
export const phoneNumberRule = hanForm(
  'telephone number',
  { digits: 'any digits' },
  /(?:1[3-9]\d{9}|1[3-9]\d-\d{4}-\d{4}|0\d{2,3}-\d{7,8}|0\d{2,3}-\d{3,4}-\d{4}|[48]00-\d{3,4}-\d{3,4})(?![\d-])/y,
  ([number]) =>
    (number!.includes('-') ? number!.split('-') : [number!.slice(0, 3), number!.slice(3, 7), number!.slice(7)])
      .map(codeNames)
      .join(' '),
);
