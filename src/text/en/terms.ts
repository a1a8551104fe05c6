/** Names and terms of art whose letters do not tell how they are said. */

import type { Rule } from '../normalize/rule.js';
import { LETTERS, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';
import { spell } from './acronyms.js';

const WRITTEN: Readonly<Record<string, string>> = {
  'C++': 'C plus plus',
  'c++': 'C plus plus',
  'AT&T': 'A T and T',
  "M&M's": "M and M's",
  'M&Ms': "M and M's",
  'I/O': 'I O',
  "rock 'n' roll": 'rock and roll',
  'LGBTQ+': 'L G B T Q plus',
  'TCP/IP': 'T C P I P',
  'CI/CD': 'C I C D',
  'AC/DC': 'A C D C',
  'H.264': 'H two six four',
  'H.265': 'H two six five',
  LaTeX: 'lay tech',
  TeX: 'tech',
  PostgreSQL: 'Postgres Q L',
  SQLite: 'S Q lite',
  LLaMA: 'llama',
  PhD: 'P H D',
  PhDs: "P H D's",
  BSc: 'B S C',
  MSc: 'M S C',
  GUI: 'gooey',
  GUIs: 'gooeys',
  ASCII: 'askey',
  WYSIWYG: 'wizzy wig',
  HIPAA: 'hippa',
  MPEG: 'em peg',
  SaaS: 'sass',
  PaaS: 'pass',
  IaaS: 'I as',
  IoT: 'I O T',
  GNU: 'gnoo',
  WiFi: 'wifi',
  VRAM: 'V ram',
  YoY: 'year over year',
  QoQ: 'quarter over quarter',
  MoM: 'month over month',
  iOS: 'I O S',
  iPadOS: 'I pad O S',
  nginx: 'engine X',
  Nginx: 'engine X',
  NGINX: 'engine X',
  kubectl: 'kube control',
  sudo: 'soo doo',
  k8s: 'kubernetes',
  K8s: 'kubernetes',
  i18n: 'internationalization',
  l10n: 'localization',
  a11y: 'accessibility',
  idk: "I don't know",
  tbh: 'to be honest',
  imo: 'in my opinion',
  imho: 'in my humble opinion',
  afaik: 'as far as I know',
  iirc: 'if I recall correctly',
  btw: 'by the way',
  fwiw: "for what it's worth",
  brb: 'be right back',
  ttyl: 'talk to you later',
  smh: 'shaking my head',
  irl: 'in real life',
  nvm: 'never mind',
  ikr: 'I know, right',
  tysm: 'thank you so much',
  thx: 'thanks',
  thnx: 'thanks',
  pls: 'please',
  plz: 'please',
  ppl: 'people',
  omg: 'oh my god',
  IDK: "I don't know",
  TBH: 'to be honest',
  IMO: 'in my opinion',
  IMHO: 'in my humble opinion',
  AFAIK: 'as far as I know',
  IIRC: 'if I recall correctly',
  BTW: 'by the way',
  FWIW: "for what it's worth",
  OMG: 'oh my god',
  vi: 'V I',
  ii: 'two',
  iii: 'three',
  vii: 'seven',
  viii: 'eight',
  ix: 'nine',
  xii: 'twelve',
  "gov't": 'government',
  "Gov't": 'Government',
  "int'l": 'international',
  "Int'l": 'International',
  "nat'l": 'national',
  "Nat'l": 'National',
  "dep't": 'department',
  "Dep't": 'Department',
  "cont'd": 'continued',
  "Cont'd": 'Continued',
  "ass'n": 'association',
  "Ass'n": 'Association',
  aka: 'also known as',
  AKA: 'also known as',
  WWI: 'World War One',
  WWII: 'World War Two',
  WW2: 'World War Two',
  WW1: 'World War One',
  pH: 'P H',
  NaCl: 'N A C L',
  HCl: 'H C L',
  KCl: 'K C L',
  NaOH: 'N A O H',
  KOH: 'K O H',
  OK: 'okay',
  ok: 'okay',
  TL: 'T L',
  'TL;DR': 'T L D R',
  tldr: 'T L D R',
  GIFs: 'gifs',
  JPEG: 'jay peg',
  JPEGs: 'jay pegs',
  JPG: 'jay peg',
  JSON: 'jason',
  YAML: 'yammel',
  COVID: 'covid',
  UNESCO: 'you nesco',
  UEFA: 'you eigh fa',
  FTSE: 'footsie',
  ICAO: 'eye kay oh',
  kth: 'kayth',
  ith: 'eyeth',
  jth: 'jayth',
  mth: 'emth',
  openai: 'open A I',
  chatgpt: 'chat G P T',
  macos: 'mac O S',
  mysql: 'my S Q L',
  mongodb: 'mongo D B',
  graphql: 'graph Q L',
  nosql: 'no S Q L',
  openssl: 'open S S L',
  opengl: 'open G L',
  opencv: 'open C V',
  pytorch: 'pie torch',
  numpy: 'num pie',
  vscode: 'V S code',
  ffmpeg: 'F F em peg',
  huggingface: 'hugging face',
  github: 'git hub',
  gitlab: 'git lab',
  CUDA: 'cooda',
  FEMA: 'feema',
  nodejs: 'node J S',
  Xi: 'Shee',
  'e-mail': 'email',
  'E-mail': 'Email',
};

/** Words of chats begin a sentence too: "Thx, …". */
const CHAT = 'idk tbh imo btw brb nvm thx thnx pls plz ppl omg afaik iirc'.split(' ');
const TERMS: Readonly<Record<string, string>> = {
  ...WRITTEN,
  ...Object.fromEntries(CHAT.map((word) => [word[0]!.toUpperCase() + word.slice(1), WRITTEN[word]!])),
};

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
/** The terms that are a word, "gov't" among them. */
const WORDS = new Set(Object.keys(TERMS).filter((key) => /^[A-Za-z]+(?:'[a-z])?$/.test(key)));
const ENDING = `('s)?(?![${LETTERS}0-9_+#]|[.@/:][${LETTERS}0-9])`;
const WORD_ENDING = new RegExp(ENDING, 'y');
/** The terms that are more than a word. */
const MIXED_TERMS = Object.keys(TERMS).filter((key) => !WORDS.has(key));
const MIXED = new RegExp(`(${MIXED_TERMS.map(quoted).join('|')})${ENDING}`, 'y');
const AMPERSAND = /([A-Z])&([A-Z])(?:('s|s))?(?![A-Za-z0-9])/y;
const SHARP = /([A-G])(#|b(?= (?:major|minor)))(m(?![a-z])|maj(?![a-z]))?(?![A-Za-z0-9])/y;
const SCRIPTED = /([A-Z][a-z]{1,9})\.js(?![A-Za-z0-9])/y;
const DOT_NET = /\.(?:NET|Net)(?![A-Za-z0-9])/y;
/** Acronyms in small letters, where they stand in ordinary text. */
const SMALL = new Set(
  'api apis url urls ui ux cpu cpus gpu gpus sql html css http https ssh tcp udp ip id ids ai db vm usb pdf pdfs csv xml faq llm llms ml dns ssl tls vpn sdk cli npm aws jwt cdn os svg png tts'.split(
    ' ',
  ),
);

/** Flats: "Bb major". */
const FLATS = [...'ABCDEFG'].map((note) => `${note}b`);
const KNOWN = [...[...WORDS].flatMap((word) => [word, `${word}'s`]), ...SMALL, ...FLATS, 'rock'];

/** The word without its possessive. */
const stem = (word: string): string => (word.endsWith("'s") ? word.slice(0, -2) : word);

const pair = (text: string, at: number): number => (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
const MIXED_STARTS = new Set(MIXED_TERMS.map((key) => pair(key, 0)));
const beginsMixed = (text: string, at: number): boolean => MIXED_STARTS.has(pair(text, at));

function term(scan: Scan, at: number): number {
  const { text, out } = scan;
  if (!scan.atBoundary(at)) return at;
  const say = (words: string, whole: string) => {
    out.say(words, at, at + whole.length);
    scan.remember(whole);
    return at + whole.length;
  };
  const word = scan.wordAt(at);
  const bare = stem(word);
  // "Pls. answer": an abbreviation with its stop.
  const clipped = /^pls$/i.test(bare) && text[at + bare.length] === '.';
  const ending = WORDS.has(bare) && !clipped ? matchAt(WORD_ENDING, text, at + bare.length) : null;
  if (ending) return say(TERMS[bare]! + ending[0], bare + ending[0]);
  const mixed = beginsMixed(text, at) ? matchAt(MIXED, text, at) : null;
  if (mixed) return say(TERMS[mixed[1]!]! + (mixed[2] ?? ''), mixed[0]);
  const second = text.charCodeAt(at + 1);
  const ampersand = second === 38 /* & */ ? matchAt(AMPERSAND, text, at) : null;
  if (ampersand)
    return say(`${spell(ampersand[1]!)} and ${spell(ampersand[2]!)}${ampersand[3] ? "'s" : ''}`, ampersand[0]);
  const sharp = second === 35 /* # */ || second === 98 /* b */ ? matchAt(SHARP, text, at) : null;
  if (sharp) {
    const kind = sharp[3] === 'm' ? ' minor' : sharp[3] ? ' major' : '';
    return say(`${spell(sharp[1]!)} ${sharp[2] === '#' ? 'sharp' : 'flat'}${kind}`, sharp[0]);
  }
  const scripted = text.startsWith('.js', at + word.length) ? matchAt(SCRIPTED, text, at) : null;
  if (scripted) return say(`${scripted[1]} J S`, scripted[0]);
  if (
    word.length < 6 &&
    SMALL.has(word) &&
    !/[.@/_\d-]|:\S/.test(`${text.charAt(at - 1)} ${text.slice(at + word.length, at + word.length + 2)}`)
  ) {
    return say(
      word.length > 2 && word !== 'https' && word.endsWith('s') && SMALL.has(word.slice(0, -1))
        ? `${spell(word.slice(0, -1))}'s`
        : spell(word),
      word,
    );
  }
  return at;
}

/** ".NET": the dot is a part of the name. */
export const dotNetRule: Rule = {
  name: '.NET',
  begins: { signs: '.' },
  apply(scan, at) {
    if (!scan.atBoundary(at) || !matchAt(DOT_NET, scan.text, at)) return at;
    scan.out.say('dot net', at, at + 4);
    return at + 4;
  },
};

export const termRule: Rule = {
  name: 'term',
  // A term of more than letters continues with one of + & / ' . ; - # or a digit.
  begins: { words: { behind: /[\x01-\x1f!-+\--?]/, known: KNOWN } },
  apply: term,
};
