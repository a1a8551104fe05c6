/**
 * How words sound, alone and in company. The expected sounds were checked by hand against a
 * dictionary.
 */
import { describe, expect, it } from 'vitest';
import { fromEspeak, fromIpa } from '../../../src/text/en/pronunciation/alphabet.js';
import { createPhonemizer } from '../../../src/text/phonemes.js';
import { createReader } from '../../../src/text/reader.js';
import { createAlphabet } from '../../../src/text/tokens.js';
import type { Reading } from '../../../src/text/types.js';

const reader = await createReader();
const read = (text: string): Reading =>
  reader.read({ text, offset: 0, spans: [{ kind: 'text', text, start: 0, end: [...text].length }], pause: 'none' });

const table = (rows: string): string[][] =>
  rows
    .trim()
    .split('\n')
    .map((row) => row.split('=').map((cell) => cell.trim()));

const WORDS = table(`
  hello = həlˈO
  world = wˈɜɹld
  about = əbˈWt
  banana = bənˈænə
  water = wˈɔTəɹ
  city = sˈɪTi
  button = bˈʌtᵊn
  little = lˈɪTᵊl
  people = pˈipᵊl
  nation = nˈAʃən
  vision = vˈɪʒən
  judge = ʤˈʌʤ
  church = ʧˈɜɹʧ
  think = θˈɪŋk
  father = fˈɑðəɹ
  thought = θˈɔt
  boy = bˈY
  out = ˈWt
  home = hˈOm
  eight = ˈAt
  sky = skˈI
  happy = hˈæpi
  food = fˈud
  good = ɡˈʊd
  cup = kˈʌp
  more = mˈɔɹ
  here = hˈɪɹ
  fire = fˈIəɹ
  hour = ˈWəɹ
  choir = kwˈIəɹ
  colonel = kˈɜɹnᵊl
  island = ˈIlənd
  debt = dˈɛt
  knight = nˈIt
  psychology = sIkˈɑləʤi
  Wednesday = wˈɛnzdA
  February = fˈɛbɹuˌɛɹi
  comfortable = kˈʌmftəbᵊl
  Worcestershire = wˈʊstəɹʃəɹ
  Arkansas = ˈɑɹkənsˌɔ
  Siobhan = ʃɪvˈɔn
  café = kæfˈA
  Beyoncé = biˈɑnsˌA
  facade = fəsˈɑd
  salmon = sˈæmən
  subtle = sˈʌTᵊl
  mother-in-law = mˈʌðəɹɪnlˈɔ
  well-known = wˈɛlnˈOn
  don't = dˈOnt
  NASA = nˈæsə
  Nguyen = wˈɪn
  Nike's = nˈIkiz
  Dvořák = dvˈɔɹʒæk
  async = ˈAsɪŋk
  quinoa = kˈinwˌɑ
`);

const CONTEXT = table(`
  a dog = ɐ dˈɑɡ
  an apple = ɐn ˈæpᵊl
  the dog = ðə dˈɑɡ
  the apple = ði ˈæpᵊl
  the hour = ði ˈWəɹ
  the one = ðə wˈʌn
  to go = tə ɡˈO
  to eat = tʊ ˈit
  I want to = ˌI wˈɔnt tu
  come in = kˈʌm ˈɪn
  in town = ɪn tˈWn
  turn it on = tˈɜɹn ɪt ˈɔn
  on Monday = ˌɔn mˈʌndA
  I can go = ˌI kæn ɡˈO
  yes I can = jˈɛs ˌI kˈæn
  a thousand = ɐ θˈWzənd
  A dog barked = ɐ dˈɑɡ bˈɑɹkt
  THIS IS A TEST = ðɪs ɪz ɐ tˈɛst
  what is it? = wʌt ɪz ɪt?
`);

const HOMOGRAPHS = table(`
  I will read it = ɹˈid
  I have read it = ɹˈɛd
  I have already read it = ɹˈɛd
  It was read aloud = ɹˈɛd
  She read it to me = ɹˈɛd
  Did she read it = ɹˈid
  I read it yesterday = ɹˈɛd
  lead the way = lˈid
  a lead pipe = lˈɛd
  made of lead = lˈɛd
  we live here = lˈɪv
  live music = lˈIv
  we go live at nine = lˈIv
  he lives here = lˈɪvz
  it saves lives = lˈIvz
  the wind blew = wˈɪnd
  wind up the clock = wˈInd
  close the door = klˈOz
  close friends = klˈOs
  it is close to home = klˈOs
  very close now = klˈOs
  use it = jˈuz
  the use of force = jˈus
  many uses = jˈusᵻz
  I used to go = jˈust
  it is used here = jˈuzd
  a new record = ɹˈɛkəɹd
  we record music = ɹəkˈɔɹd
  it rose to record levels = ɹˈɛkəɹd
  tear it up = tˈɛɹ
  tear gas = tˈɪɹ
  tears fell = tˈɪɹz
  a bow and arrow = bˈO
  take a bow = bˈW
  wait a minute = mˈɪnət
  a minute amount = mInˈut
  the present moment = pɹˈɛzᵊnt
  I present this = pɹəzˈɛnt
  the object = ˈɑbʤɛkt
  I object = əbʤˈɛkt
  I am content = kəntˈɛnt
  the content = kˈɑntɛnt
  a fresh desert = dˈɛzəɹt
  to desert someone = dəzˈɜɹt
  they produce oil = pɹədˈus
  we separate them = sˈɛpəɹˌAt
  a separate room = sˈɛpəɹət
  the Polish border = pˈOlɪʃ
  polish the shoes = pˈɑlɪʃ
  update my resume = ɹˈɛzəmˌA
  resume the work = ɹəzˈum
  sea bass = bˈæs
  bass guitar = bˈAs
  the dove flew = dˈʌv
  he dove in = dˈOv
  the wound healed = wˈund
  it wound around = wˈWnd
  an upload to object storage = ˈɑbʤɛkt
  it was due to conflict = kˈɑnflɪkt
  with lead singer Bono = lˈid
  as heavy as lead = lˈɛd
  a live feed of it = lˈIv
  the live one = lˈIv
  from coal to wind power = wˈɪnd
  a tear in her eye = tˈɪɹ
  a tear rolled down = tˈɪɹ
`);

const MARKS = table(`
  one, two; three: four. | wˈʌn, tˈu; θɹˈi: fˈɔɹ.
  really? | ɹˈiəli?
  stop! | stˈɑp!
  stop!!! | stˈɑp!
  wait... what | wˈAt… wˌʌt
  it — the end | ɪt — ði ˈɛnd
  (hello) there | (həlˈO) ðˈɛɹ
  "hello" there | “həlˈO” ðˈɛɹ
  “hello” there | “həlˈO” ðˈɛɹ
`).map(([row]) => row!.split(' | '));

describe('words by themselves', () => {
  for (const [word, phonemes] of WORDS) it(word!, () => expect(read(word!).phonemes).toBe(phonemes));
});

describe('words in company', () => {
  for (const [text, phonemes] of CONTEXT) it(text!, () => expect(read(text!).phonemes).toBe(phonemes));
});

describe('words written alike', () => {
  for (const [text, phonemes] of HOMOGRAPHS) {
    it(`${text} has ${phonemes}`, () => expect(read(text!).phonemes.split(' ')).toContain(phonemes));
  }
});

describe('marks', () => {
  for (const [text, phonemes] of MARKS) it(text!, () => expect(read(text!).phonemes).toBe(phonemes));

  it('are tested with the words in more than a hundred cases', () => {
    expect(WORDS.length + CONTEXT.length + HOMOGRAPHS.length + MARKS.length).toBeGreaterThanOrEqual(100);
  });
});

describe("a person's IPA", () => {
  const CASES: readonly (readonly [string, string])[] = [
    ['/təˈmeɪtoʊ/', 'təmˈAtO'],
    ['təˈmɑːtəʊ', 'təmˈɑtO'],
    ['[ˈlɪtl̩]', 'lˈɪtᵊl'],
    ['ˈbʌtn̩', 'bˈʌtᵊn'],
    ['ˈdʒɔɪ', 'ʤˈY'],
    ['ˈt͡ʃɜːt͡ʃ', 'ʧˈɜɹʧ'],
    ["'gʊd", 'ɡˈʊd'],
    ['kə.ˈnɛk.tɪ.kət', 'kənˈɛktɪkət'],
    ['ˌɪntəˈnæʃənəl', 'ˌɪntənˈæʃənᵊl'],
    ['ˈstɹɛŋθ', 'stɹˈɛŋθ'],
    ['nuː jɔɹk', 'nu jɔɹk'],
  ];
  for (const [ipa, phonemes] of CASES) it(ipa, () => expect(fromIpa(ipa, 'en-US')).toBe(phonemes));

  it('is kept long for a British voice', () => {
    expect(fromIpa('/ˈɡəʊ ˈfɑːðə/', 'en-GB')).toBe('ɡˈQ fˈɑːðə');
    expect(fromEspeak('həlˈəʊ', 'en-GB')).toBe('həlˈQ');
  });
});

describe('the phonemizer', () => {
  it('speaks two languages side by side', async () => {
    const [us, gb] = [await createPhonemizer('en-US'), await createPhonemizer('en-GB')];
    expect([us.word('dance'), gb.word('dance'), us.word('garden'), gb.word('garden')]).toEqual([
      'dˈæns',
      'dˈɑːns',
      'ɡˈɑɹdən',
      'ɡˈɑːdən',
    ]);
  });

  it('leaves the process as it found it', async () => {
    const events = ['uncaughtException', 'unhandledRejection', 'exit'] as const;
    const before = events.map((event) => process.listenerCount(event));
    await createPhonemizer('en-US');
    expect(events.map((event) => process.listenerCount(event))).toEqual(before);
  });

  it('says a word of any length', () => {
    expect(read('a'.repeat(3000)).parts.length).toBeGreaterThan(0);
    expect(read('ba'.repeat(90)).phonemes.length).toBeGreaterThan(90);
  });

  it('makes only symbols of the alphabet, each with its id', () => {
    const alphabet = createAlphabet();
    expect(alphabet.size).toBe(114);
    expect([alphabet.get('ə'), alphabet.get(' '), alphabet.get('ˈ'), alphabet.get('.')]).toEqual([83, 16, 156, 4]);
    const tokens = read('The quick brown fox, 42 times!').parts.flatMap((part) =>
      part.kind === 'speech' ? part.tokens : [],
    );
    for (const { symbol, id } of tokens) expect(alphabet.get(symbol)).toBe(id);
  });
});
