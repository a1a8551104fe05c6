/** The tools: what agents are told of each, and the answers they get. */
import { SPEECH_MODELS } from '../protocol/contract.js';
import { MAX_SPEED, MIN_SPEED } from '../protocol/job.js';
import { LANGUAGE_TAGS } from '../protocol/languages.js';
import { type Arguments, checkArguments, type Field, type Fields, schemaOf } from './fields.js';
import type { Made, McpHost, ToolCall } from './host.js';
import { madeInWords, readingInWords, voicesInWords } from './wording.js';

/** As much as ElevenLabs' dialect takes in one request. */
export const MAX_SPOKEN_CHARS = 10_000;
/** About two hours of speech. */
export const MAX_BOOK_CHARS = 100_000;
const MAX_EXPLAINED_CHARS = 4_000;
/** A voice, a title, a path. */
const MAX_NAME_CHARS = 1_000;

const SPOKEN_FORMATS = ['mp3', 'wav', 'opus', 'flac', 'm4a'] as const;
const BOOK_FORMATS = ['m4b', 'mp3', 'opus'] as const;

interface ToolAnswer {
  readonly text: string;
  readonly made?: Made;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ReturnType<typeof schemaOf>;
  readonly annotations: { readonly readOnlyHint: boolean; readonly openWorldHint: boolean };
  /** Arguments as the agent sent them. Rejects with an error that says what is allowed. */
  call(given: Record<string, unknown> | undefined, call: ToolCall): Promise<ToolAnswer>;
}

const text = (description: string, maxLength = MAX_NAME_CHARS) =>
  ({ type: 'string', description, maxLength }) satisfies Field;
const required = (description: string, maxLength?: number) =>
  ({ ...text(description, maxLength), required: true }) as const;

const VOICE = text('Id of a voice, as list_voices names them, or a mix such as af_heart(60)+bm_george(40).');
const MODEL = {
  type: 'string',
  description: 'base-tts sounds best, base-tts-fast is quickest. Best left out.',
  enum: SPEECH_MODELS,
} satisfies Field;
const SPEED = {
  type: 'number',
  description: `How fast: 1 is the voice's own pace.`,
  minimum: MIN_SPEED,
  maximum: MAX_SPEED,
} satisfies Field;
const LANGUAGE = {
  type: 'string',
  description: 'Language of the text, which selects a voice that speaks it where no voice is named.',
  enum: LANGUAGE_TAGS,
} satisfies Field;

interface Definition<All extends Fields> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly fields: All;
  readonly readOnly: boolean;
  run(args: Arguments<All>, call: ToolCall): Promise<ToolAnswer>;
}

const tool = <All extends Fields>({ name, title, description, fields, readOnly, run }: Definition<All>): Tool => ({
  name,
  title,
  description,
  inputSchema: schemaOf(fields),
  annotations: { readOnlyHint: readOnly, openWorldHint: false },
  call: async (given, call) => run(checkArguments(fields, given), call),
});

export function toolsOf(host: McpHost, keepMs: number): readonly Tool[] {
  const minutes = Math.round(keepMs / 60_000);
  const isHere = host.place === 'here';
  const made = (result: Made): ToolAnswer => ({ text: madeInWords(result, minutes), made: result });
  return [
    isHere ? speakHere(host, made) : speakElsewhere(host, made, minutes),
    listVoices(host),
    explainReading(host),
    isHere ? bookHere(host, made) : bookElsewhere(host, made, minutes),
  ];
}

type Telling = (made: Made) => ToolAnswer;

const speakHere = (host: McpHost, made: Telling): Tool =>
  tool({
    name: 'speak',
    title: 'Speak',
    description:
      "Says a text aloud on the user's machine, or writes it to a sound file. Returns when it was heard or written. " +
      'Write plain sentences with normal punctuation; Markdown is read sensibly.',
    fields: {
      text: required('What to say.', MAX_BOOK_CHARS),
      voice: VOICE,
      language: LANGUAGE,
      model: MODEL,
      speed: SPEED,
      file: text('Write to this file instead of playing: NAME.mp3, .wav, .opus, .flac or .m4a. It must not exist yet.'),
      play: { type: 'boolean', description: 'Play it aloud. True unless a file is named.' },
    },
    readOnly: false,
    run: async (args, call) => made(await host.speak(args, call)),
  });

const speakElsewhere = (host: McpHost, made: Telling, minutes: number): Tool =>
  tool({
    name: 'speak',
    title: 'Speak',
    description:
      `Makes speech of a text and returns a link to the sound file, which is kept for ${minutes} minutes. ` +
      'Write plain sentences with normal punctuation; Markdown is read sensibly.',
    fields: {
      text: required(`What to say, at most ${MAX_SPOKEN_CHARS} characters.`, MAX_SPOKEN_CHARS),
      voice: VOICE,
      language: LANGUAGE,
      model: MODEL,
      speed: SPEED,
      format: { type: 'string', description: 'Format of the file; mp3 where left out.', enum: SPOKEN_FORMATS },
    },
    readOnly: false,
    run: async (args, call) => made(await host.speak(args, call)),
  });

const listVoices = (host: McpHost): Tool =>
  tool({
    name: 'list_voices',
    title: 'List voices',
    description: 'Lists the voices that can speak: id, name, language, gender and how each sounds.',
    fields: {
      language: { ...LANGUAGE, description: 'Only voices of this language.' },
      gender: { type: 'string', description: 'Only voices of this gender.', enum: ['female', 'male', 'neutral'] },
      search: text('Only voices whose id, name, accent or description has these words: "calm british".'),
      model: MODEL,
    },
    readOnly: true,
    run: async ({ model, ...wanted }, call) => ({ text: voicesInWords(await host.voices(model, call), wanted) }),
  });

const explainReading = (host: McpHost): Tool =>
  tool({
    name: 'explain_reading',
    title: 'Explain the reading',
    description:
      'Shows how a text will be read: numbers, dates, abbreviations and names as words, with their sounds (IPA).',
    fields: {
      text: required(`The text, at most ${MAX_EXPLAINED_CHARS} characters.`, MAX_EXPLAINED_CHARS),
      voice: VOICE,
      language: LANGUAGE,
      ssml: { type: 'boolean', description: 'The text carries SSML.' },
    },
    readOnly: true,
    run: async (args, call) => ({ text: readingInWords(await host.explain(args, call)) }),
  });

const bookHere = (host: McpHost, made: Telling): Tool =>
  tool({
    name: 'make_audiobook',
    title: 'Make an audiobook',
    description:
      'Makes an audiobook with chapters of an EPUB, Markdown, text or HTML file. This takes long; a call that is ' +
      'cancelled or fails loses nothing, and the same call goes on where it broke off.',
    fields: {
      book: required('Path of the book.'),
      output: text(
        'NAME.m4b, .m4a, .mp3, .opus or .flac, or FOLDER/ for a file a chapter; beside the book by default.',
      ),
      replace: { type: 'boolean', description: 'Replace the output where it exists already.' },
      chapters: text('Only these chapters: 3, 3-7 or 1,4-.'),
      voice: VOICE,
      model: MODEL,
      speed: SPEED,
    },
    readOnly: false,
    run: async (args, call) => made(await host.makeBook(args, call)),
  });

const bookElsewhere = (host: McpHost, made: Telling, minutes: number): Tool =>
  tool({
    name: 'make_audiobook',
    title: 'Make an audiobook',
    description:
      'Makes an audiobook of a Markdown text, with a chapter at each heading, and returns a link to the file, which ' +
      `is kept for ${minutes} minutes. For an EPUB use "tts mcp" on the machine where it is.`,
    fields: {
      text: required(`The book, at most ${MAX_BOOK_CHARS} characters of Markdown or plain text.`, MAX_BOOK_CHARS),
      title: text('Title of the book; its first heading where left out.', 200),
      format: { type: 'string', description: 'Format of the file; m4b where left out.', enum: BOOK_FORMATS },
      voice: VOICE,
      model: MODEL,
      speed: SPEED,
    },
    readOnly: false,
    run: async (args, call) => made(await host.makeBook(args, call)),
  });
