/**
 * Which language a text is in, for remarks and for clients that name none: an answer that is sure,
 * or none.
 */
import type { Language } from '../protocol/job.js';
import type { LanguageCode } from '../protocol/languages.js';

/** So much of a text is looked at, in UTF-16 units. */
const LOOKED_AT = 4_000;
/** Fewer points than these are chance. */
const LEAST_POINTS = 3;

/**
 * Little words, greetings and signs of each language; `other` are neighbours that are not read
 * here, so that none is taken for one.
 */
const WORDS: Readonly<Record<string, string>> = {
  en: `the and is are was were with for that but of to in on you it this have has not they from your his her what how hello
    please thank good morning would there their which when will can be been i'm it's don't we he she my`,
  es: `el los las la una un y es con por para que pero como más está están del al lo su sus muy ya también donde cuando hay ser
    tiene este esta yo qué cómo hola buenos buenas días tardes gracias en se nos le les sin sobre porque hasta desde nada
    todo ahora aquí así años fue son soy estoy usted mañana si mi mis de no noche noches ha mucho mucha muchos muchas había era
    estaba tiempo algo alguien siempre nunca hace dijo ella él nosotros después antes entre todos otra otro tan hoy ayer`,
  fr: `le les la une un et est avec pour que mais comme plus dans du des au aux ne pas vous nous très aussi où quand il elle ce
    cette je bonjour merci c'est en sur qui sont été je j'ai n'est qu'il d'un d'une l'on son sa ses leur mon ma votre bonsoir
    sans tout demain aujourd'hui ça de par cela était avait fait être avoir deux toujours jamais après avant nos vos ils elles on
    ont se si quelque peu encore même depuis hier autre`,
  it: `il lo gli la le una un e è con per che ma come più della del di dei delle nel nella non sono molto anche dove quando c'è
    questo questa io ciao buongiorno buonasera grazie si da al alla ho hai ha siamo perché senza tutto oggi domani dell'
    ogni sua suo era in tutta tutti tutte mi ti ci no lei lui loro dal dalla sul sulla alle agli al degli aveva hanno
    fatto sempre mai prima dopo ieri due poi qui così mentre abbiamo stato stata fu essere ancora nostro altro`,
  pt: `o os as uma um e é com por para que mas como mais está do da dos das no na nos nas em não você vocês muito já também onde
    quando há ser tem este esta eu isso ao à seu sua olá bom boa dia obrigado obrigada são foi se sem tudo hoje amanhã
    porque até pelo pela ele ela de minha meu lá aos às era estava tinha foram nós eles elas sempre nunca depois antes ontem
    agora dois duas outro outra entre só nem fazer enquanto pessoas muita muitos`,
  other: `der die das und ist nicht mit ein eine ich zu auf für von dem den sich auch het een van niet ik op voor met dat zijn
    och att det som på inte är jag av til ikke jeg og nie jest się na w z że czy bir ve bu için din și este cu că nu pe
    els amb per això és i`,
};

/** The languages that have each word. */
const CODES_OF: ReadonlyMap<string, readonly string[]> = (() => {
  const codes = new Map<string, string[]>();
  for (const [code, words] of Object.entries(WORDS)) {
    for (const word of new Set(words.trim().split(/\s+/))) codes.set(word, [...(codes.get(word) ?? []), code]);
  }
  return codes;
})();
/** What a word is worth to each of its languages, by how many have it. */
const WORTH = [1.5, 0.9, 0.5] as const;

/** Words that nobody says in another of these languages. */
const SURE: ReadonlyMap<string, LanguageCode> = new Map(
  (
    [
      ['es', 'hola buenos buenas gracias usted perro muchas muchos'],
      ['fr', 'bonjour bonsoir merci vous très beaucoup'],
      ['it', 'ciao buongiorno buonasera grazie gli della perché molto'],
      ['pt', 'olá obrigado obrigada você não muito são'],
      ['en', 'the and hello'],
    ] as const
  ).flatMap(([code, words]) => words.split(' ').map((word) => [word, code] as const)),
);

/** Signs that few other languages have, with what they are worth. */
const SIGNS: readonly (readonly [code: string, sign: RegExp, points: number])[] = [
  ['es', /[¿¡]/gu, 2],
  ['es', /ñ|ción\b/gu, 1],
  ['pt', /[ãõ]/gu, 2],
  ['pt', /ção\b|ções\b/gu, 1],
  ['fr', /[œêîû]|\b[ljdcnqs]['’](?=[aeiouhéè])/giu, 1],
  ['it', /\b(?:dell|nell|sull|all|un|l|d|c)['’](?=[aeiouhè])|zione\b/giu, 0.5],
  ['other', /[ßäöåøæłśżźćęąşğıțșăđ]/gu, 2],
];

/** The language a text is surely in. */
export function detectLanguage(text: string): LanguageCode | undefined {
  const sample = text.slice(0, LOOKED_AT);
  return byScript(sample) ?? byWords(sample);
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

function byScript(text: string): LanguageCode | undefined {
  const letters = count(text, /\p{L}/gu);
  const kana = count(text, /[\p{Script=Hiragana}\p{Script=Katakana}ー]/gu);
  const han = count(text, /\p{Script=Han}/gu);
  if (kana > 0 && 2 * (kana + han) > letters) return 'ja';
  if (han > 1 && 2 * han > letters) return 'zh';
  return 2 * count(text, /\p{Script=Devanagari}/gu) > letters && letters > 0 ? 'hi' : undefined;
}

function byWords(text: string): LanguageCode | undefined {
  const words = text.toLowerCase().match(/\p{L}+(?:['’]\p{L}+)*/gu) ?? [];
  const points = new Map<string, number>(Object.keys(WORDS).map((code) => [code, 0]));
  const add = (code: string, more: number) => points.set(code, points.get(code)! + more);
  for (const word of words) {
    const plain = word.replace('’', "'");
    const codes = CODES_OF.get(plain) ?? [];
    for (const code of codes) add(code, WORTH[Math.min(codes.length, WORTH.length) - 1]!);
    const sure = SURE.get(plain);
    if (sure !== undefined) add(sure, 1);
  }
  for (const [code, sign, worth] of SIGNS) add(code, worth * Math.min(4, count(text, sign)));
  const [first, second] = [...points].sort((a, b) => b[1] - a[1]);
  const [code, best] = first!;
  if (code === 'other' || best < LEAST_POINTS || best < 0.12 * words.length) return undefined;
  return best >= 1.5 * second![1] + 1 ? (code as LanguageCode) : undefined;
}

const SCRIPTS: Readonly<Partial<Record<string, RegExp>>> = {
  hi: /\p{Script=Devanagari}/u,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  zh: /\p{Script=Han}/u,
};
const OWN_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Devanagari}]/u;
const OTHER_LETTER = /(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Devanagari}])\p{L}/u;

/**
 * The language of a text that holds letters, but none that a voice of `language` can read;
 * undefined where it holds one, or no letter at all. Alphabets that no voice here has are written
 * in Latin letters, and count as such.
 */
export function unreadableLanguage(text: string, language: Language): LanguageCode | undefined {
  const script = SCRIPTS[language.slice(0, 2)];
  if (script === undefined) {
    return OWN_SCRIPT.test(text) && !OTHER_LETTER.test(text) && !/\p{N}/u.test(text)
      ? (byScript(text) ?? 'zh')
      : undefined;
  }
  if (script.test(text) || !/\p{L}/u.test(text)) return undefined;
  return detectLanguage(text) ?? 'en';
}
