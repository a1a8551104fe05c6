/** `tts book`: makes an audiobook of an EPUB, and goes on where it broke off. */
import path from 'node:path';
import { Command, Option } from 'commander';
import { TtsError } from '../../protocol/errors.js';
import { BOOK_ENDINGS, bookDestination } from '../book/destination.js';
import { runBook } from '../book/run.js';
import { addSettings, settingsOf } from '../context.js';
import { untilInterrupted } from '../interrupt.js';
import { withVoiceId } from '../names.js';
import { refuseSameFile, speedOption } from '../speech-options.js';

interface BookOptions {
  readonly output?: string;
  readonly format?: string;
  readonly chapters?: string;
  readonly list?: boolean;
  readonly notes: 'skip' | 'end';
  readonly overlay: 'sentence' | 'word';
  readonly skipBroken?: boolean;
  readonly speed?: number;
  readonly cast?: string;
  readonly castDraft?: string;
  readonly json?: boolean;
  readonly clean?: boolean;
  readonly quiet?: boolean;
}

const EXAMPLES = `
Examples:
  tts book moby-dick.epub                           an audiobook with the book's chapters
  tts book moby-dick.epub --list                    what is in it, and how long it will be
  tts book moby-dick.epub -o moby.m4b -v british_male_george
  tts book moby-dick.epub -o moby/ --chapters 3-7   a file for each chapter, and a playlist
  tts book moby-dick.epub -o moby-aloud.epub        the book with its sound, to read along
  tts book notes.md -o notes.opus                   Markdown, plain text and HTML too
  tts book emma.epub --cast-draft emma.cast         who speaks, and how often: a file to edit
  tts book emma.epub --cast emma.cast               characters with voices of their own
  tts book --clean                                  forget what is kept of unfinished books

A run that is stopped or killed loses nothing: the same command goes on where it broke, and the file
is the same to the byte. Made sentences are kept in the cache (tts config shows bookDir).`;

export function command(): Command {
  const book = new Command('book')
    .description('Makes an audiobook of an EPUB, with its chapters. Markdown, plain text and HTML go the same way.')
    .argument('[FILE]', 'the book')
    .option('-o, --output <FILE>', 'write NAME.m4b, .m4a, .mp3, .opus, .flac or .epub, or FOLDER/ for a file a chapter')
    .addOption(new Option('--format <NAME>', 'format of the output, else told by its name').choices(BOOK_ENDINGS))
    .option('--chapters <LIST>', 'only these chapters: 3, 3-7 or 1,4-')
    .option('--list', 'show title, chapters and lengths, and make nothing')
    .addOption(
      new Option('--notes <WHERE>', 'footnotes: skip them, or read them at the end of their chapter')
        .choices(['skip', 'end'])
        .default('skip'),
    )
    .addOption(
      new Option('--overlay <UNIT>', 'what lights up at once in an .epub')
        .choices(['sentence', 'word'])
        .default('sentence'),
    )
    .option('--skip-broken', 'go on without the parts of the book that cannot be read')
    .addOption(speedOption())
    .option('--cast <FILE>', 'give characters voices of their own: lines such as Ahab = british_male_george')
    .option('--cast-draft <FILE>', 'write such a file from the text, to edit, and make nothing; - is stdout')
    .option('--json', 'print events as JSON, one a line')
    .option('--clean', 'remove what is kept of this book, without FILE of all books')
    .option('-q, --quiet', 'no progress, no remarks');
  addSettings(book, ['voice', 'model', 'style', 'server', 'apiKey', 'apiKeyFile', 'engine'], {
    voice: '-v',
    model: '-m',
  });
  addSettings(book, ['device', 'threads', 'modelDir', 'offline', 'lexicon', 'voicesDir', 'runtimeDir']);
  return addSettings(book, ['bookDir', 'bookMb'])
    .addHelpText('after', EXAMPLES)
    .action((file: string | undefined, options: BookOptions, self: Command) =>
      untilInterrupted((signal) => run(file, options, self, signal)),
    );
}

async function run(file: string | undefined, options: BookOptions, self: Command, signal: AbortSignal): Promise<void> {
  const settings = await withVoiceId(settingsOf(self));
  const {
    chapters,
    notes,
    overlay,
    skipBroken = false,
    speed = 1,
    list = false,
    json = false,
    quiet = false,
  } = options;
  if (options.clean) return clean(settings.config.bookDir, file, quiet);
  if (file === undefined) {
    throw new TtsError('usage', 'Which book? Name an EPUB, such as tts book moby-dick.epub; --help shows more.');
  }
  const { cast, castDraft } = options;
  if (cast !== undefined && castDraft !== undefined)
    throw new TtsError('usage', '--cast reads a cast and --cast-draft writes one. Take one of them.');
  refuseSameFile(
    [file],
    [
      ['-o', options.output],
      ['--cast-draft', castDraft],
    ],
  );
  const destination = bookDestination(options.output, options.format, file);
  const made = { destination, speed, range: chapters, notes, overlay, skipBroken, cast, castDraft, list, json, quiet };
  await runBook({ settings, file, ...made }, signal);
}

async function clean(root: string, file: string | undefined, quiet: boolean): Promise<void> {
  const { cleanSentences } = await import('../../book/make/sentence-store.js');
  const bytes = await cleanSentences(root, file === undefined ? undefined : path.resolve(file));
  const { sizeText } = await import('../../client/ui/format.js');
  if (!quiet) process.stdout.write(`removed ${sizeText(bytes)}\n`);
}
