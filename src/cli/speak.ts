/** `tts speak`: says a text of any length, into the room or into a file. */
import { Command } from 'commander';
import type { SpokenChunk } from '../client/speech-socket.js';
import { TtsError } from '../protocol/errors.js';
import { settingsOf } from './context.js';
import { listDevices } from './devices.js';
import { untilInterrupted } from './interrupt.js';
import { addSpeechOptions, destinationOf, refuseSameFile, type SpeechOptions } from './speech-options.js';
import { runSpeech, streamParams } from './speech-run.js';
import { readText } from './text-source.js';

interface SpeakOptions extends SpeechOptions {
  readonly file?: string[];
  readonly srt?: string;
  readonly vtt?: string;
}

const EXAMPLES = `
Examples:
  tts speak "Hello there."                          say it
  tts speak -f chapter1.txt chapter2.txt            read two files, one after the other
  curl -s https://example.org/a.txt | tts speak     read what comes through a pipe
  tts speak -f talk.txt -o talk.wav --srt talk.srt  a file, with subtitles
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
    .option('--vtt <FILE>', 'write subtitles in WebVTT format; - is stdout');
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
  const text = await readText({ words, files }, signal);
  // Alignment, markup and seed exist on the WebSocket only.
  const aligned = srt !== undefined || vtt !== undefined;
  const ssml = options.ssml ?? false;
  const overSocket = aligned || ssml || options.seed !== undefined;
  const { CueBuilder, toSrt, toVtt } = await import('../client/subtitles.js');
  const cues = new CueBuilder(aligned ? (await import('../text/display.js')).displayText(text, { ssml }) : []);

  const { voice } = settings.config;
  await runSpeech(
    { settings, voice, destination, options, show: false, steady: true, ssml, screen: 'lines' },
    async ({ address, model, sink, progress, leftOut, wrote }, runSignal) => {
      if (!overSocket) {
        const [{ createHttpClient }, { speakRequests }] = await Promise.all([
          import('../client/http.js'),
          import('../client/speak-requests.js'),
        ]);
        const client = createHttpClient(address);
        const fields = { model, voice, ...(options.language ? { language: options.language } : {}) };
        await speakRequests({ client, text, fields, sink, progress, leftOut }, runSignal).finally(() => client.close());
        return;
      }
      const { speakStream } = await import('../client/speak-stream.js');
      progress.timeline.expect(text);
      await speakStream(
        {
          address,
          voice,
          params: streamParams(model, options),
          text: once(text),
          flushOnNewline: false,
          sink,
          progress,
          leftOut,
          onChunk: ({ alignment }: SpokenChunk, offset: number) => {
            if (alignment && aligned) cues.add(alignment, offset);
          },
        },
        runSignal,
      ).catch(async (error) => {
        // What is kept of the sound keeps its subtitles.
        if (options.keepPartial && aligned && progress.made > 0) wrote.push(...(await writeSubtitles()));
        throw error;
      });
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
    const { writeWhole } = await import('../client/sinks/file.js');
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

async function* once(text: string): AsyncIterable<string> {
  yield text;
}
