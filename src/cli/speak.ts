/** `tts speak`: says a text of any length, into the room or into a file. */
import { Command } from 'commander';
import type { SpokenChunk } from '../client/speech-socket.js';
import { TtsError } from '../protocol/errors.js';
import { settingsOf } from './context.js';
import { untilInterrupted } from './interrupt.js';
import { addSpeechOptions, destinationOf, type SpeechOptions } from './speech-options.js';
import { runSpeech, streamModel } from './speech-run.js';
import { readText } from './text-source.js';

interface SpeakOptions extends SpeechOptions {
  readonly file?: string[];
  readonly srt?: string;
  readonly vtt?: string;
}

const EXAMPLES = `
Examples:
  tts speak "Hello there."                          say it
  tts speak -f chapter1.txt -f chapter2.txt         read two files, one after the other
  curl -s https://example.org/a.txt | tts speak     read what comes through a pipe
  tts speak -f talk.txt -o talk.wav --srt talk.srt  a file, with subtitles
  tts speak "Hello." -o - --format pcm | aplay -f S16_LE -r 24000
  tts speak --server https://tts.example.org --api-key tts_… "From afar."

Exit codes: 0 done, 1 failed, 2 usage, 3 no connection or it broke, 4 key refused, 5 credits or limits,
6 model missing or broken, 7 no sound device, 8 engine failed, 130 interrupted.`;

const gather = (value: string, before: string[] = []): string[] => [...before, value];

export function command(): Command {
  const speak = new Command('speak')
    .description('Says a text of any length. It is played, unless an output is named.')
    .argument('[TEXT...]', 'what to say; without it, -f or a pipe')
    .option('-f, --file <FILE>', 'read the text from FILE, may be given again; - is stdin', gather)
    .option('--srt <FILE>', 'write subtitles in SubRip format')
    .option('--vtt <FILE>', 'write subtitles in WebVTT format');
  return addSpeechOptions(speak)
    .addHelpText('after', EXAMPLES)
    .action((words: string[], options: SpeakOptions, self: Command) =>
      untilInterrupted((signal) => run(words, options, self, signal)),
    );
}

async function run(words: string[], options: SpeakOptions, self: Command, signal: AbortSignal): Promise<void> {
  const settings = settingsOf(self);
  const destination = destinationOf(options, Boolean(process.stdout.isTTY));
  const text = await readText({ words, files: options.file ?? [] }, signal);
  // Alignment and seed exist on the WebSocket only.
  const aligned = options.srt !== undefined || options.vtt !== undefined;
  const overSocket = aligned || options.seed !== undefined;
  const { CueBuilder, toSrt, toVtt } = await import('../client/subtitles.js');
  const cues = new CueBuilder();

  await runSpeech(
    { settings, destination, quiet: options.quiet ?? false, show: false, steady: true, screen: 'lines' },
    async ({ address, model, sink, progress }, runSignal) => {
      const { voice } = settings.config;
      if (!overSocket) {
        const [{ createHttpClient }, { speakRequests }] = await Promise.all([
          import('../client/http.js'),
          import('../client/speak-requests.js'),
        ]);
        const client = createHttpClient(address);
        const fields = { model, voice, ...(options.language ? { language: options.language } : {}) };
        await speakRequests({ client, text, fields, sink, progress }, runSignal).finally(() => client.close());
        return;
      }
      const { speakStream } = await import('../client/speak-stream.js');
      progress.timeline.expect(text);
      await speakStream(
        {
          address,
          voice,
          params: {
            model_id: streamModel(model),
            ...(options.language ? { language_code: options.language } : {}),
            ...(options.seed === undefined ? {} : { seed: options.seed }),
          },
          text: once(text),
          flushOnNewline: false,
          sink,
          progress,
          onChunk: ({ alignment }: SpokenChunk, offset: number) => {
            if (alignment && aligned) cues.add(alignment, offset);
          },
        },
        runSignal,
      );
      if (aligned) await writeSubtitles(options, cues.cues());
    },
    signal,
  );

  async function writeSubtitles(files: SpeakOptions, list: ReturnType<typeof cues.cues>): Promise<void> {
    if (list.length === 0) {
      throw new TtsError('connection_failed', 'The server sent no times for the text, so there are no subtitles.');
    }
    const { writeWhole } = await import('../client/sinks/file.js');
    if (files.srt) await writeWhole(files.srt, toSrt(list));
    if (files.vtt) await writeWhole(files.vtt, toVtt(list));
  }
}

async function* once(text: string): AsyncIterable<string> {
  yield text;
}
