/** `tts speak`: says a text of any length, into the room or into a file. */
import path from 'node:path';
import { Command } from 'commander';
import type { Chapter } from '../../audio/tags.js';
import type { SpokenChunk } from '../../client/speech-socket.js';
import { samplesToMs } from '../../protocol/audio.js';
import { parseModel } from '../../protocol/contract.js';
import { TtsError } from '../../protocol/errors.js';
import { settingsOf } from '../context.js';
import { listDevices } from '../devices.js';
import { untilInterrupted } from '../interrupt.js';
import {
  addSpeechOptions,
  destinationOf,
  type FileFormat,
  refuseSameFile,
  type SpeechOptions,
} from '../speech-options.js';
import { runSpeech, streamParams } from '../speech-run.js';
import { complain } from '../terminal.js';
import { readText } from '../text-source.js';
import { chooseVoice, languageRemark } from '../voice-choice.js';

interface SpeakOptions extends SpeechOptions {
  readonly file?: string[];
  readonly srt?: string;
  readonly vtt?: string;
  readonly chapters?: boolean;
  readonly title?: string;
}

const CHAPTERED: readonly FileFormat[] = ['mp3', 'opus', 'flac'];

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
    .option('--chapters', 'begin a chapter at every heading (mp3, opus, flac)')
    .option('--title <TEXT>', 'the title that the file tells (default: the name of the file that is read)');
  return addSpeechOptions(speak)
    .addHelpText('after', EXAMPLES)
    .action((words: string[], options: SpeakOptions, self: Command) =>
      untilInterrupted((signal) => run(words, options, self, signal)),
    );
}

async function run(words: string[], options: SpeakOptions, self: Command, signal: AbortSignal): Promise<void> {
  if (options.listDevices) return listDevices(signal);
  const settings = settingsOf(self);
  const { output, srt, vtt } = options;
  const destination = destinationOf(options, Boolean(process.stdout.isTTY));
  const files = options.file ?? [];
  refuseSameFile(files, [
    ['-o', output],
    ['--srt', srt],
    ['--vtt', vtt],
  ]);
  if (options.chapters && !(destination.kind === 'file' && CHAPTERED.includes(destination.format))) {
    throw new TtsError('usage', '--chapters needs a file that can hold them: add -o book.mp3, .opus or .flac.');
  }
  const text = await readText({ words, files }, signal);
  // Alignment, markup and seed exist on the WebSocket only. So does a speed, but for Free models, which are on HTTP alone.
  const aligned = srt !== undefined || vtt !== undefined;
  const ssml = options.ssml ?? false;
  const { speed = 1 } = options;
  const { CueBuilder, toSrt, toVtt } = await import('../../client/subtitles.js');
  const cues = new CueBuilder(aligned ? (await import('../../text/display.js')).displayText(text, { ssml }) : []);

  const title = options.title ?? titleOf(files);
  const sections = options.chapters
    ? (await import('../../text/chapters.js')).chaptersOf(text, title ?? 'Beginning')
    : [{ title: '', text }];
  /** The sample at which each section begins, as they do. */
  const starts: number[] = [];
  const total = { samples: 0 };
  const book = {
    ...(title === undefined ? {} : { title }),
    chapterTitles: options.chapters ? sections.map((section) => section.title) : [],
    chapters: () => chapterTimes(book.chapterTitles, starts, total.samples),
  };

  const voice = await chooseVoice(settings, options.language);
  const remark = ssml ? undefined : await languageRemark(settings.config, voice, text);
  if (remark !== undefined && !options.quiet) complain(remark);
  // A locale that is not the voice's own is heard over the WebSocket alone.
  const locale = options.language?.includes('-') === true && options.language.startsWith('es');
  await runSpeech(
    { settings, voice, destination, options, show: false, steady: true, ssml, book, screen: 'lines' },
    async ({ address, model, sink, progress, leftOut, wrote }, runSignal) => {
      const paced = speed !== 1 && !parseModel(model).free;
      if (!aligned && !ssml && options.seed === undefined && !paced && !locale) {
        const [{ createHttpClient }, { speakRequests }] = await Promise.all([
          import('../../client/http.js'),
          import('../../client/speak-requests.js'),
        ]);
        const client = createHttpClient(address);
        const fields = { model, voice, speed };
        const told = sections.map((section) => ({ text: section.text, onBegin: () => starts.push(progress.made) }));
        await speakRequests({ client, sections: told, fields, sink, progress, leftOut }, runSignal).finally(() => {
          client.close();
          total.samples = progress.made;
        });
        return;
      }
      const { speakStream } = await import('../../client/speak-stream.js');
      progress.timeline.expect(text);
      const stream = {
        address,
        voice,
        params: streamParams(model, options),
        speed,
        flushOnNewline: false,
        sink,
        progress,
        leftOut,
        onChunk: ({ alignment, pcm }: SpokenChunk, offset: number) => {
          total.samples = offset + pcm.length;
          if (alignment && aligned) cues.add(alignment, offset);
        },
      };
      try {
        for (const section of sections) {
          starts.push(progress.made);
          await speakStream({ ...stream, text: once(section.text) }, runSignal);
        }
      } catch (error) {
        // What is kept of the sound keeps its subtitles.
        if (options.keepPartial && aligned && progress.made > 0) wrote.push(...(await writeSubtitles()));
        throw error;
      }
      if (!aligned || progress.made === 0) return;
      wrote.push(...(await writeSubtitles()));
    },
    signal,
  );

  async function writeSubtitles(): Promise<string[]> {
    const list = cues.cues();
    if (list.length === 0) {
      throw new TtsError('connection_failed', 'The server sent no times for the text, so there are no subtitles.');
    }
    const { writeWhole } = await import('../../client/sinks/file.js');
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

/** What the reader of a file called it. */
function titleOf(files: readonly string[]): string | undefined {
  const [first] = files;
  return first === undefined || first === '-' ? undefined : path.parse(first).name;
}

/** A chapter lasts until the next one begins; one that was not reached has no time. */
function chapterTimes(titles: readonly string[], starts: readonly number[], samples: number): Chapter[] {
  const at = (i: number) => samplesToMs(starts[i] ?? samples);
  return titles.map((title, i) => ({ title, startMs: at(i), endMs: at(i + 1) }));
}

async function* once(text: string): AsyncIterable<string> {
  yield text;
}
