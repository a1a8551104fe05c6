/** `tts speak`: says a text of any length, into the room or into a file. */
import path from 'node:path';
import { Command } from 'commander';
import type { Chapter } from '../../audio/tags.js';
import type { SpeakStreamOptions } from '../../client/speak-stream.js';
import type { CueBuilder } from '../../client/subtitles.js';
import type { Sources } from '../../config.js';
import { samplesToMs } from '../../protocol/audio.js';
import { parseModel } from '../../protocol/contract.js';
import { TtsError } from '../../protocol/errors.js';
import type { TextChapter } from '../../text/chapters.js';
import { settingsOf } from '../context.js';
import { listDevices } from '../devices.js';
import { untilInterrupted } from '../interrupt.js';
import { withVoiceId } from '../names.js';
import {
  addSpeechOptions,
  destinationOf,
  type FileFormat,
  isMarked,
  refuseSameFile,
  type SpeechOptions,
  streamParams,
} from '../speech-options.js';
import { runSpeech, type SpeechRun } from '../speech-run.js';
import { complain } from '../terminal.js';
import { readText } from '../text-source.js';
import { chooseVoice, languageRemark } from '../voice-choice.js';
import { sectionsOf } from '../voice-tags.js';

interface SpeakOptions extends SpeechOptions {
  readonly file?: string[];
  readonly srt?: string;
  readonly vtt?: string;
  readonly chapters?: boolean;
  readonly title?: string;
}

const CHAPTERED: readonly FileFormat[] = ['mp3', 'm4a', 'm4b', 'opus', 'flac'];

const EXAMPLES = `
Examples:
  tts speak "Hello there."                          say it
  tts speak -f chapter1.txt chapter2.txt            read two files, one after the other
  curl -s https://example.org/a.txt | tts speak     read what comes through a pipe
  tts speak -f talk.txt -o talk.wav --srt talk.srt  a file, with subtitles
  tts speak -f book.md -o book.mp3 --chapters       an audiobook, a chapter at every heading
  tts speak "Hello." -o - --format pcm | aplay -f S16_LE -r 24000
  tts speak --server https://tts.example.org --api-key-file key.txt "From afar."
  tts speak -- "-5 degrees."                        a text that begins with a dash

Exit codes: 0 done, 1 failed, 2 usage, 3 no connection or it broke, 4 key refused, 5 credits or limits,
6 model missing or broken, 7 no sound device, 8 engine failed, 130 interrupted.`;

export function command(): Command {
  const speak = new Command('speak')
    .description('Says a text of any length. It is played, unless an output is named.')
    .argument('[TEXT...]', 'what to say; without it, -f or a pipe')
    .option('-f, --file <FILE...>', 'read the text from these files; - is stdin')
    .option('--srt <FILE>', 'write subtitles in SubRip format; - is stdout')
    .option('--vtt <FILE>', 'write subtitles in WebVTT format; - is stdout')
    .option('--chapters', 'begin a chapter at every heading (mp3, m4a, m4b, opus, flac)')
    .option('--title <TEXT>', 'the title in the file (default: the heading of the text, else the name of its file)');
  return addSpeechOptions(speak)
    .addHelpText('after', EXAMPLES)
    .action((words: string[], options: SpeakOptions, self: Command) =>
      untilInterrupted((signal) => run(words, options, self, signal)),
    );
}

async function run(words: string[], options: SpeakOptions, self: Command, signal: AbortSignal): Promise<void> {
  if (options.listDevices) return listDevices(signal);
  const settings = await withVoiceId(settingsOf(self));
  const { output, srt, vtt, chapters = false } = options;
  const files = options.file ?? [];
  refuseSameFile(files, [
    ['-o', output],
    ['--srt', srt],
    ['--vtt', vtt],
  ]);
  if ([...files, output ?? ''].some((file) => /\.epub$/i.test(file))) {
    return speakBook(words, options, settings, signal);
  }
  const destination = destinationOf(options, Boolean(process.stdout.isTTY));
  if (chapters && !(destination.kind === 'file' && CHAPTERED.includes(destination.format))) {
    throw new TtsError('usage', '--chapters needs a file that can hold them: add -o book.mp3, .m4b, .opus or .flac.');
  }
  const text = await readText({ words, files }, signal);
  const voice = await chooseVoice(settings, options.language);
  const ssml = isMarked(options);
  const remark = ssml ? undefined : await languageRemark(settings.config, voice, text);
  if (remark !== undefined && !options.quiet) complain(remark);
  const title = options.title ?? (await titleOf(text, files, options.ssml ?? false));
  const sections = await sectionsOf(text, title, options, settings.config.voicesDir);
  const sent = sections.map((section) => section.text).join('');
  const reading = new Reading(options, voice, { title, sections, cues: await cuesOf(sent, options) });
  await runSpeech(
    {
      settings,
      voice,
      destination,
      options,
      show: false,
      steady: true,
      ssml,
      textVoices: ssml ? (await import('../../text/ssml/voice-tags.js')).voicesNamed(sent) : [],
      chars: text.length,
      book: reading,
      screen: 'lines',
    },
    (speech, runSignal) => reading.speak(speech, runSignal),
    signal,
  );
}

/** A book goes the way of `tts book`, with what both have. */
async function speakBook(
  words: readonly string[],
  { file: files = [], output, quiet = false, speed = 1, chapters = false, ...others }: SpeakOptions,
  settings: Sources,
  signal: AbortSignal,
): Promise<void> {
  const [file, ...more] = files;
  const isPlain = ![others.srt, others.vtt, isMarked(others), others.seed, others.play, others.title].some(Boolean);
  if (
    output === undefined ||
    output === '-' ||
    !chapters ||
    !isPlain ||
    words.length > 0 ||
    file === undefined ||
    more.length > 0
  ) {
    const said = 'A book is read with tts speak -f BOOK.epub -o BOOK.mp3 --chapters, and nothing beside it.';
    throw new TtsError('usage', `${said} tts book has more options.`);
  }
  const [{ runBook }, { bookDestination }] = await Promise.all([
    import('../book/run.js'),
    import('../book/destination.js'),
  ]);
  const place = bookDestination(output, others.format, file);
  const whole = {
    range: undefined,
    notes: 'skip',
    overlay: 'sentence',
    skipBroken: false,
    list: false,
    json: false,
  } as const;
  await runBook({ settings, file, destination: place, speed, quiet, ...whole }, signal);
}

interface ReadingParts {
  readonly title: string | undefined;
  /** The chapters, or the whole text as one, as they are sent. */
  readonly sections: readonly TextChapter[];
  /** Undefined where no subtitles are asked for. */
  readonly cues: CueBuilder | undefined;
}

/** One text being spoken: its sections, when each began, and its subtitles. */
class Reading {
  readonly title?: string;
  readonly #options: SpeakOptions;
  readonly #voice: string;
  readonly #cues: CueBuilder | undefined;
  readonly #sections: readonly TextChapter[];
  /** The sample at which each section begins, of those that were reached. */
  readonly #starts: number[] = [];
  #samples = 0;

  constructor(options: SpeakOptions, voice: string, { title, sections, cues }: ReadingParts) {
    this.#options = options;
    this.#voice = voice;
    this.#sections = sections;
    this.#cues = cues;
    if (title !== undefined) this.title = title;
  }

  get chapterTitles(): readonly string[] {
    return this.#options.chapters ? this.#sections.map(({ title }) => title) : [];
  }

  /** A chapter lasts until the next one begins; one that was not reached has no time. */
  chapters(): Chapter[] {
    const at = (i: number) => samplesToMs(this.#starts[i] ?? this.#samples);
    return this.chapterTitles.map((title, i) => ({ title, startMs: at(i), endMs: at(i + 1) }));
  }

  speak(run: SpeechRun, signal: AbortSignal): Promise<void> {
    const { seed, speed = 1, language } = this.#options;
    // Alignment, markup, seed and a locale other than the voice's are for the WebSocket alone. So
    // is a speed, but for Free models, which are on HTTP alone.
    const isPaced = speed !== 1 && !parseModel(run.model).free;
    const isOtherLocale = language?.startsWith('es-') === true;
    const needsSocket = this.#cues || isMarked(this.#options) || seed !== undefined || isPaced || isOtherLocale;
    return needsSocket ? this.#overSocket(run, signal) : this.#overHttp(run, signal);
  }

  async #overHttp({ address, model, sink, progress, leftOut }: SpeechRun, signal: AbortSignal): Promise<void> {
    const [{ createHttpClient }, { speakRequests }] = await Promise.all([
      import('../../client/http.js'),
      import('../../client/speak-requests.js'),
    ]);
    const client = createHttpClient(address);
    const { speed = 1 } = this.#options;
    const fields = { model, voice: this.#voice, speed };
    const sections = this.#sections.map(({ text }) => ({ text, onBegin: () => this.#starts.push(progress.made) }));
    await speakRequests({ client, sections, fields, sink, progress, leftOut }, signal).finally(() => {
      client.close();
      this.#samples = progress.made;
    });
  }

  async #overSocket(run: SpeechRun, signal: AbortSignal): Promise<void> {
    const { address, model, sink, progress, leftOut, wrote } = run;
    const { speakStream } = await import('../../client/speak-stream.js');
    const { speed = 1, keepPartial } = this.#options;
    const stream: Omit<SpeakStreamOptions, 'text'> = {
      address,
      voice: this.#voice,
      params: streamParams(model, this.#options),
      speed,
      flushOnNewline: false,
      sink,
      progress,
      leftOut,
      onChunk: ({ alignment, pcm }, offset) => {
        this.#samples = offset + pcm.length;
        if (alignment) this.#cues?.add(alignment, offset);
      },
    };
    progress.timeline.expect(this.#sections.map(({ text }) => text).join(''));
    try {
      for (const { text } of this.#sections) {
        this.#starts.push(progress.made);
        await speakStream({ ...stream, text: once(text) }, signal);
      }
      progress.finished();
    } catch (error) {
      // What is kept of the sound keeps its subtitles.
      if (keepPartial && progress.made > 0) wrote.push(...(await this.#writeSubtitles()));
      throw error;
    }
    if (progress.made > 0) wrote.push(...(await this.#writeSubtitles()));
  }

  /** Returns what was written where, for people. */
  async #writeSubtitles(): Promise<string[]> {
    if (this.#cues === undefined) return [];
    const list = this.#cues.cues();
    if (list.length === 0) {
      throw new TtsError('connection_failed', 'The server sent no times for the text, so there are no subtitles.');
    }
    const [{ toSrt, toVtt }, { writeWhole }] = await Promise.all([
      import('../../client/subtitles.js'),
      import('../../client/sinks/file.js'),
    ]);
    const { srt, vtt } = this.#options;
    const wrote: string[] = [];
    for (const [file, written] of [
      [srt, toSrt],
      [vtt, toVtt],
    ] as const) {
      if (file === undefined) continue;
      if (file === '-') process.stdout.write(written(list));
      else {
        await writeWhole(file, written(list));
        wrote.push(`${file}, ${list.length} subtitle${list.length === 1 ? '' : 's'}`);
      }
    }
    return wrote;
  }
}

async function cuesOf(text: string, options: SpeakOptions): Promise<CueBuilder | undefined> {
  const { srt, vtt } = options;
  if (srt === undefined && vtt === undefined) return undefined;
  const [{ CueBuilder }, { displayText }] = await Promise.all([
    import('../../client/subtitles.js'),
    import('../../text/display.js'),
  ]);
  return new CueBuilder(displayText(text, { ssml: isMarked(options) }));
}

/** What the heading of the text says, else the name of the file that is read. */
async function titleOf(text: string, files: readonly string[], ssml: boolean): Promise<string | undefined> {
  const { headingTitle } = await import('../../text/chapters.js');
  const title = ssml ? undefined : headingTitle(text);
  if (title !== undefined) return title;
  const [first] = files;
  return first === undefined || first === '-' ? undefined : path.parse(first).name;
}

async function* once(text: string): AsyncIterable<string> {
  yield text;
}
