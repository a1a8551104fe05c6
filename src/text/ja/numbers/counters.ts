/** Counters: how a number and the word that counts with it change each other. */
import { geminated, numeralSound, numeralValue } from './numerals.js';

/** How a counter sounds, and what it does to the number before it. */
interface Counter {
  readonly sound: string;
  /** Behind a number that closes up ("イッポン"), where it differs. */
  readonly closed?: string;
  /** Behind サン, ナン, セン and マン ("サンボン"). */
  readonly nasal?: string;
  /** Behind ヨン too. */
  readonly four?: string;
  /** A number before it closes up at ten alone, as before words from abroad. */
  readonly tenOnly?: true;
  /** Numbers that end so, and what they end in before it. */
  readonly ends?: Readonly<Record<string, string>>;
  /** Numbers that are said in a word of their own with it. */
  readonly whole?: Readonly<Record<number, string>>;
}

const YO = { ヨン: 'ヨ' };
const HOUR = { ヨン: 'ヨ', ナナ: 'シチ', キュー: 'ク' };
const DAYS: Readonly<Record<number, string>> = {
  1: 'イチニチ',
  2: 'フツカ',
  3: 'ミッカ',
  4: 'ヨッカ',
  5: 'イツカ',
  6: 'ムイカ',
  7: 'ナノカ',
  8: 'ヨーカ',
  9: 'ココノカ',
  10: 'トーカ',
  14: 'ジューヨッカ',
  17: 'ジューシチニチ',
  19: 'ジュークニチ',
  20: 'ハツカ',
  24: 'ニジューヨッカ',
  27: 'ニジューシチニチ',
  29: 'ニジュークニチ',
};
const THINGS: Readonly<Record<number, string>> = {
  1: 'ヒトツ',
  2: 'フタツ',
  3: 'ミッツ',
  4: 'ヨッツ',
  5: 'イツツ',
  6: 'ムッツ',
  7: 'ナナツ',
  8: 'ヤッツ',
  9: 'ココノツ',
};
const PEOPLE: Readonly<Record<number, string>> = { 1: 'ヒトリ', 2: 'フタリ' };

const COUNTERS = new Map<string, Counter>();

const plain = (list: string): void => {
  const words = list.trim().split(/\s+/);
  for (let i = 0; i < words.length; i += 2) COUNTERS.set(words[i]!, { sound: words[i + 1]! });
};
const add = (written: string, counter: Counter): void => {
  for (const each of written.split(' ')) COUNTERS.set(each, counter);
};

// Nothing but the closing of numbers happens before these.
plain(`
枚 マイ 台 ダイ 倍 バイ 番 バン 号 ゴー 度 ド 名 メー 位 イ 割 ワリ 条 ジョー 畳 ジョー 膳 ゼン 問 モン 話 ワ 億 オク
回 カイ 個 コ ヶ コ 件 ケン 巻 カン 曲 キョク 機 キ 校 コー 局 キョク 行 ギョー 句 ク 区 ク 課 カ 球 キュー 級 キュー 棟 トー
歳 サイ 才 サイ 冊 サツ 隻 セキ 席 セキ 社 シャ 種 シュ 種類 シュルイ 週 シュー 週間 シューカン 週目 シューメ 勝 ショー 章 ショー
色 ショク 世紀 セーキ 世代 セダイ 層 ソー 周 シュー 周年 シューネン 試合 シアイ 戦 セン 節 セツ 銭 セン 点 テン 体 タイ 対 ツイ
頭 トー 着 チャク 通 ツー 丁 チョー 丁目 チョーメ 等 トー 灯 トー 店 テン 滴 テキ 帖 ジョー 段 ダン 段階 ダンカイ 題 ダイ 代 ダイ
秒 ビョー 秒間 ビョーカン 秒前 ビョーマエ 番目 バンメ 番線 バンセン 番地 バンチ 号室 ゴーシツ 号車 ゴーシャ 号線 ゴーセン 号機 ゴーキ
両 リョー 輪 リン 列 レツ 連 レン 面 メン 脚 キャク 缶 カン 切れ キレ 文字 モジ 字 ジ 次 ジ 児 ジ 女 ジョ 男 ナン 部 ブ 部屋 ヘヤ
部門 ブモン 分野 ブンヤ 門 モン 夜 ヤ 打 ダ 塁 ルイ 安打 アンダ 敗 ハイ 院 イン 員 イン 隊 タイ 巡 ジュン 乗 ジョー 丸 マル 枠 ワク
組 クミ 皿 サラ 箱 ハコ 束 タバ 袋 フクロ 株 カブ 杯目 ハイメ 回目 カイメ 回戦 カイセン 回生 カイセー 回転 カイテン 期 キ 期生 キセー
個目 コメ 個所 コショ 箇所 カショ か所 カショ カ所 カショ ヶ所 カショ ヵ所 カショ か国 カコク カ国 カコク ヶ国 カコク ヵ国 カコク 箇国 カコク
か月 カゲツ カ月 カゲツ ヶ月 カゲツ ヵ月 カゲツ ケ月 カゲツ 箇月 カゲツ か年 カネン カ年 カネン ヶ年 カネン か条 カジョー カ条 カジョー ヶ条 カジョー
時限 ジゲン 時限目 ジゲンメ 限 ゲン 限目 ゲンメ 往復 オーフク 泳 エー 円玉 エンダマ 円札 エンサツ 平方 ヘーホー 立方 リッポー 進法 シンホー
角形 カッケイ 次元 ジゲン 原子 ゲンシ 市町村 シチョーソン 都道府県 トドーフケン 県 ケン 国 コク 都市 トシ 大学 ダイガク 大会 タイカイ
連勝 レンショー 連敗 レンパイ 連休 レンキュー 連続 レンゾク 打席 ダセキ 得点 トクテン 失点 シッテン 塁打 ルイダ 回裏 カイウラ 回表 カイオモテ
日連続 ニチレンゾク 大 ダイ 点差 テンサ 票 ヒョー 票差 ヒョーサ 石 コク 坪 ツボ 反 タン 町 チョー 里 リ 尺 シャク 寸 スン 貫 カン 斤 キン 合 ゴー 升 ショー`);
add('本', { sound: 'ホン', closed: 'ポン', nasal: 'ボン' });
add('本目', { sound: 'ホンメ', closed: 'ポンメ', nasal: 'ボンメ' });
add('匹', { sound: 'ヒキ', closed: 'ピキ', nasal: 'ビキ' });
add('匹目', { sound: 'ヒキメ', closed: 'ピキメ', nasal: 'ビキメ' });
add('杯', { sound: 'ハイ', closed: 'パイ', nasal: 'バイ' });
add('票', { sound: 'ヒョー', closed: 'ピョー', nasal: 'ビョー' });
add('分', { sound: 'フン', closed: 'プン', nasal: 'プン', four: 'プン' });
add('分間', { sound: 'フンカン', closed: 'プンカン', nasal: 'プンカン', four: 'プンカン' });
add('分前', { sound: 'フンマエ', closed: 'プンマエ', nasal: 'プンマエ', four: 'プンマエ' });
add('分後', { sound: 'フンゴ', closed: 'プンゴ', nasal: 'プンゴ', four: 'プンゴ' });
add('分半', { sound: 'フンハン', closed: 'プンハン', nasal: 'プンハン', four: 'プンハン' });
add('泊', { sound: 'ハク', closed: 'パク', nasal: 'パク', four: 'パク' });
add('発', { sound: 'ハツ', closed: 'パツ', nasal: 'パツ', four: 'パツ' });
add('歩', { sound: 'ホ', closed: 'ポ', nasal: 'ポ', four: 'ポ' });
add('版', { sound: 'ハン', closed: 'パン', nasal: 'パン', four: 'ハン' });
add('班', { sound: 'ハン', closed: 'パン', nasal: 'パン', four: 'ハン' });
add('敗', { sound: 'ハイ', closed: 'パイ', nasal: 'パイ', four: 'ハイ' });
add('品', { sound: 'ヒン', closed: 'ピン', nasal: 'ピン', four: 'ヒン' });
add('遍', { sound: 'ヘン', closed: 'ペン', nasal: 'ベン' });
add('階', { sound: 'カイ', nasal: 'ガイ' });
add('階建て', { sound: 'カイダテ', nasal: 'ガイダテ' });
add('軒', { sound: 'ケン', nasal: 'ゲン' });
add('足', { sound: 'ソク', nasal: 'ゾク' });
add('羽', { sound: 'ワ' });
add('人', { sound: 'ニン', ends: YO, whole: PEOPLE });
add('人目', { sound: 'ニンメ', ends: YO, whole: { 1: 'ヒトリメ', 2: 'フタリメ' } });
add('人前', { sound: 'ニンマエ', ends: YO });
add('人組', { sound: 'ニングミ', ends: YO, whole: { 2: 'フタリグミ' } });
add('人家族', { sound: 'ニンカゾク', ends: YO, whole: { 2: 'フタリカゾク' } });
add('人以上', { sound: 'ニンイジョー', ends: YO, whole: { 1: 'ヒトリイジョー', 2: 'フタリイジョー' } });
add('年', { sound: 'ネン', ends: YO });
add('年間', { sound: 'ネンカン', ends: YO });
add('年生', { sound: 'ネンセー', ends: YO });
add('年代', { sound: 'ネンダイ', ends: YO });
add('年度', { sound: 'ネンド', ends: YO });
add('年目', { sound: 'ネンメ', ends: YO });
add('年前', { sound: 'ネンマエ', ends: YO });
add('年後', { sound: 'ネンゴ', ends: YO });
add('年ぶり', { sound: 'ネンブリ', ends: YO });
add('年半', { sound: 'ネンハン', ends: YO });
add('円', { sound: 'エン', ends: YO });
add('時', { sound: 'ジ', ends: HOUR });
add('時半', { sound: 'ジハン', ends: HOUR });
add('時頃 時ごろ', { sound: 'ジゴロ', ends: HOUR });
add('時間', { sound: 'ジカン', ends: HOUR });
add('時間半', { sound: 'ジカンハン', ends: HOUR });
add('時間目', { sound: 'ジカンメ', ends: HOUR });
add('月', { sound: 'ガツ', ends: { ヨン: 'シ', ナナ: 'シチ', キュー: 'ク' } });
add('月号', { sound: 'ガツゴー', ends: { ヨン: 'シ', ナナ: 'シチ', キュー: 'ク' } });
add('つ', { sound: 'ツ', whole: THINGS });
add('つ目', { sound: 'ツメ', whole: Object.fromEntries(Object.entries(THINGS).map(([n, said]) => [n, `${said}メ`])) });
add('日', { sound: 'ニチ', whole: DAYS });
add('日間', {
  sound: 'ニチカン',
  whole: Object.fromEntries(Object.entries(DAYS).map(([n, said]) => [n, `${said}カン`])),
});
add('日目', { sound: 'ニチメ', whole: Object.fromEntries(Object.entries(DAYS).map(([n, said]) => [n, `${said}メ`])) });
add('日前', {
  sound: 'ニチマエ',
  whole: Object.fromEntries(Object.entries(DAYS).map(([n, said]) => [n, `${said}マエ`])),
});
add('日後', { sound: 'ニチゴ', whole: Object.fromEntries(Object.entries(DAYS).map(([n, said]) => [n, `${said}ゴ`])) });
add('歳 才', { sound: 'サイ', whole: { 20: 'ハタチ' } });
add('対', { sound: 'タイ' });
for (const [written, sound] of [
  ['番', 'バン'],
  ['組', 'クミ'],
  ['皿', 'サラ'],
  ['箱', 'ハコ'],
  ['切れ', 'キレ'],
  ['部屋', 'ヘヤ'],
  ['夜', 'ヤ'],
  ['袋', 'フクロ'],
  ['束', 'タバ'],
] as const) {
  const native = { 1: `ヒト${sound}`, 2: `フタ${sound}` };
  COUNTERS.set(written, written === '番' ? { sound } : { sound, tenOnly: true, whole: native });
}

/** Counters as they are written, the longer ones first, for a pattern. */
export const COUNTER_PATTERN = [...COUNTERS.keys()].sort((a, b) => b.length - a.length).join('|');

export const isCounter = (written: string): boolean => COUNTERS.has(written);

/**
 * A number in numerals and its counter: "三" and "本" → サンボン. An unknown counter comes with its own
 * sound.
 */
export function counted(number: string, counter: string, sound = ''): string {
  const known = COUNTERS.get(counter) ?? { sound };
  const whole = known.whole?.[numeralValue(number) ?? 0];
  return whole ?? beforeCounter(numeralSound(number), known);
}

/**
 * The same for a number that is known by its sound alone: a decimal, or one with a multiplier
 * behind it.
 */
export const countedSound = (number: string, counter: string): string =>
  beforeCounter(number, COUNTERS.get(counter) ?? { sound: counter });

/** A number before a word from abroad: "ジュッセンチ", but "イチキロ". */
export const beforeLoan = (number: string, sound: string): string => beforeCounter(number, { sound, tenOnly: true });

function beforeCounter(number: string, counter: Counter): string {
  const { sound, closed, nasal, four, ends, tenOnly } = counter;
  for (const [end, said] of Object.entries(ends ?? {}))
    if (number.endsWith(end)) return number.slice(0, number.length - end.length) + said + sound;
  if (four !== undefined && number.endsWith('ヨン')) return number + four;
  if (nasal !== undefined && /(?:サン|ナン|[セゼ]ン|マン)$/.test(number)) return number + nasal;
  const short = geminated(number, closed ?? sound);
  if (short === number || (tenOnly && /^[ハヒフヘホ]/.test(sound))) return number + sound;
  const closes = !tenOnly || number.endsWith('ジュー') || /^[カキクケコ]/.test(sound);
  return closes && !(tenOnly && number.endsWith('チ')) ? short + (closed ?? sound) : number + sound;
}
