/** Web addresses, mail addresses, handles and tags. */

import { form } from '../../normalize/form.js';
import { digitNames } from '../numbers/numerals.js';
import { latinSound } from './latin.js';

const MARKS: Readonly<Record<string, string>> = {
  '.': 'ドット',
  '/': 'スラッシュ',
  ':': 'コロン',
  '@': 'アット',
  '-': 'ハイフン',
  _: 'アンダーバー',
  '?': 'ハテナ',
  '=': 'イコール',
  '&': 'アンド',
  '#': 'シャープ',
  '%': 'パーセント',
  '~': 'チルダ',
  '+': 'プラス',
};

const spelled = (address: string): string =>
  Array.from(address.replace(/\/$/, '').matchAll(/[A-Za-z]+|\d+|[^A-Za-z\d]/g), ([piece]) => {
    if (/^\d/.test(piece)) return digitNames(piece);
    return /^[A-Za-z]/.test(piece) ? (latinSound(piece) ?? piece) : (MARKS[piece] ?? '');
  })
    .filter((piece) => piece !== '')
    .join(' ');

const ADDRESS =
  /(?:https?:\/\/[\w.~:/?#@&=+%-]*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:www\.)?[a-z\d-]+(?:\.[a-z\d-]+)*\.(?:com|net|org|jp|io|dev|info|cn|uk|de|fr|ai|app|tv|me|gov|edu)(?:\/[\w.~/?#&=%-]*)?)(?![\w@])/y;

export const addressRule = form('web address', { words: { when: () => true } }, ADDRESS, ([address]) =>
  spelled(address!),
);

export const handleRule = form('handle', { signs: '@' }, /@[A-Za-z_]\w*/y, ([handle]) => spelled(handle!));

export const tagRule = form('tag', { signs: '#＃' }, /[#＃](?=[\p{L}])/uy, () => 'ハッシュタグ');
