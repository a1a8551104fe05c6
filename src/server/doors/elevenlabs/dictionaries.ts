/**
 * Pronunciation dictionaries as ElevenLabs has them: rules that a key keeps under an id, each
 * another spelling of a word or its sounds in IPA. A speech that names some is read by their rules.
 */
import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import type { Accounts, KeyRecord } from '../../../accounts/types.js';
import type { Clock } from '../../../clock.js';
import { excerpt, TtsError } from '../../../protocol/errors.js';
import { Type } from '../../../protocol/schema.js';
import type { Words } from '../../../text/thread/text-messages.js';
import type { Texts } from '../../../text/thread/texts.js';
import type { HttpOrder } from '../../speech/speech-reply.js';

/** Dictionaries that a key may keep, and rules of one. */
const MAX_DICTIONARIES = 50;
const MAX_RULES = 500;
/** Dictionaries that a speech may name, as at ElevenLabs. */
const MAX_LOCATORS = 3;

export const Rule = Type.Object(
  {
    type: Type.String({ description: '`alias` or `phoneme`' }),
    string_to_replace: Type.String({ minLength: 1, maxLength: 100 }),
    alias: Type.Optional(Type.String()),
    phoneme: Type.Optional(Type.String()),
    alphabet: Type.Optional(Type.String({ description: '`ipa`' })),
    case_sensitive: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
);
type Rule = Static<typeof Rule>;

export interface Dictionary {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Another one with every change of the rules. */
  readonly versionId: string;
  readonly createdUnix: number;
  readonly archivedUnix: number | null;
  readonly rules: readonly Rule[];
}

export interface DictionaryParts {
  readonly accounts: Pick<Accounts, 'dictionaries'>;
  readonly texts: Pick<Texts, 'checkWords'>;
  readonly clock: Pick<Clock, 'wallMs'>;
}

type Caller = Pick<KeyRecord, 'id'>;
type Change = Partial<Pick<Dictionary, 'name' | 'rules' | 'archivedUnix'>>;

export class Dictionaries {
  readonly #parts: DictionaryParts;

  constructor(parts: DictionaryParts) {
    this.#parts = parts;
  }

  async list({ id: keyId }: Caller): Promise<Dictionary[]> {
    const rows = await this.#parts.accounts.dictionaries.list(keyId);
    return rows.map(({ value }) => JSON.parse(value) as Dictionary).sort((a, b) => b.createdUnix - a.createdUnix);
  }

  /** Throws `not_found`. */
  async get(caller: Caller, id: string): Promise<Dictionary> {
    const found = await this.#find(caller, id);
    if (found === undefined) throw new TtsError('not_found', 'This key has no such pronunciation dictionary.');
    return found;
  }

  create(caller: Caller, about: Pick<Dictionary, 'name' | 'description' | 'rules'>): Promise<Dictionary> {
    const { name, description, rules } = about;
    const createdUnix = this.nowUnix();
    const made = { id: randomUUID(), name, description, createdUnix, archivedUnix: null, rules };
    return this.#keep(caller, made);
  }

  async change(caller: Caller, id: string, change: Change): Promise<Dictionary> {
    return this.#keep(caller, { ...(await this.get(caller, id)), ...change });
  }

  /** Whole seconds since 1970. */
  nowUnix(): number {
    return Math.floor(this.#parts.clock.wallMs() / 1000);
  }

  /**
   * The words of the dictionaries that a speech names; the first that has a word counts. Undefined
   * where it names none that this key has.
   */
  async words(caller: Caller, locators: unknown): Promise<Words | undefined> {
    const ids = (Array.isArray(locators) ? locators : []).slice(0, MAX_LOCATORS).flatMap((locator: unknown) => {
      const id = (locator as { pronunciation_dictionary_id?: unknown } | null)?.pronunciation_dictionary_id;
      return typeof id === 'string' ? [id] : [];
    });
    const found = (await Promise.all(ids.map((id) => this.#find(caller, id)))).flatMap((one) => one ?? []);
    if (found.length === 0) return undefined;
    return Object.assign({}, ...found.map(({ rules }) => wordsOf(rules)).reverse()) as Words;
  }

  /** What an order takes of dictionaries. Locators that find none are unused. */
  async read(caller: Caller, locators: unknown): Promise<Pick<HttpOrder, 'words' | 'unused'>> {
    if (locators === undefined) return {};
    const words = await this.words(caller, locators);
    return words === undefined ? { unused: ['pronunciation_dictionary_locators'] } : { words };
  }

  async #find({ id: keyId }: Caller, id: string): Promise<Dictionary | undefined> {
    const row = await this.#parts.accounts.dictionaries.find(keyId, id);
    return row && (JSON.parse(row.value) as Dictionary);
  }

  async #keep({ id: keyId }: Caller, dictionary: Omit<Dictionary, 'versionId'>): Promise<Dictionary> {
    const { accounts, texts } = this.#parts;
    if (dictionary.rules.length > MAX_RULES) throw wrongRule(`A dictionary holds at most ${MAX_RULES} rules.`);
    await texts.checkWords(wordsOf(dictionary.rules)).catch((error: unknown) => {
      throw error instanceof TtsError ? wrongRule(error.message) : error;
    });
    const kept: Dictionary = { ...dictionary, versionId: randomUUID() };
    const row = { keyId, id: kept.id, value: JSON.stringify(kept) };
    if (await accounts.dictionaries.put(row, MAX_DICTIONARIES)) return kept;
    throw new TtsError('invalid_value', `A key keeps at most ${MAX_DICTIONARIES} pronunciation dictionaries.`);
  }
}

const wrongRule = (message: string): TtsError => new TtsError('invalid_value', message, { param: 'rules' });

/** A word in small letters stands for every way of capitalising it, as everywhere here. */
function wordsOf(rules: readonly Rule[]): Words {
  return Object.fromEntries(
    rules.map((rule) => {
      const { string_to_replace: written, case_sensitive: exact = true } = rule;
      return [exact ? written : written.toLowerCase(), saidAs(rule)];
    }),
  );
}

function saidAs({ type, string_to_replace: written, alias, phoneme, alphabet = 'ipa' }: Rule): string {
  const named = `The rule for "${excerpt(written, 40)}"`;
  if (type === 'alias') {
    if (!alias?.trim()) throw wrongRule(`${named} needs an "alias".`);
    return alias.trim();
  }
  if (type !== 'phoneme') throw wrongRule(`${named} must have the type "alias" or "phoneme".`);
  if (alphabet.toLowerCase() !== 'ipa') throw wrongRule(`${named} must be written in IPA: "alphabet": "ipa".`);
  const ipa = (phoneme ?? '').trim().replace(/^\/|\/$/g, '');
  if (ipa === '') throw wrongRule(`${named} needs a "phoneme".`);
  return `/${ipa}/`;
}
