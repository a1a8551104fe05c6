/** `tts stream`: speaks text while it arrives: an answer of a language model, a log, typing. */
import { Command } from 'commander';
import type { VoiceTags } from '../../text/ssml/voice-tags.js';
import { settingsOf } from '../context.js';
import { listDevices } from '../devices.js';
import { untilInterrupted } from '../interrupt.js';
import { withVoiceId } from '../names.js';
import { addSpeechOptions, destinationOf, isMarked, type SpeechOptions, streamParams } from '../speech-options.js';
import { runSpeech } from '../speech-run.js';
import { liveLines } from '../terminal.js';
import { chooseVoice } from '../voice-choice.js';
import { openVoiceTags } from '../voice-tags.js';

interface StreamOptions extends SpeechOptions {
  readonly flushOnNewline?: boolean;
  readonly show?: boolean;
}

const EXAMPLES = `
Examples:
  llm "Tell me a story" | tts stream             speak an answer while it is being written
  llm "Tell me a story" | tts stream --show      and watch the words light up
  tail -f build.log | tts stream --flush-on-newline
  tts stream                                     type a line, hear it; Ctrl-D ends, Ctrl-C stops at once
  cat book.txt | tts stream -o book.wav          of any length
  tts stream --speed 1.3 < mail.txt              a little faster
  echo 'One <break time="1s"/> two.' | tts stream --ssml
  echo '[voice:british_male_george]Good day.' | tts stream --voice-tags

Exit codes are those of tts speak (tts speak --help).`;

export function command(): Command {
  const stream = new Command('stream')
    .description('Speaks stdin as it arrives: the first words are heard while the rest is still being written.')
    .option('--flush-on-newline', 'speak every line as soon as it ends (default when typing)')
    .option('--show', 'show the words and light them up as they are spoken');
  return addSpeechOptions(stream)
    .addHelpText('after', EXAMPLES)
    .action((options: StreamOptions, self: Command) => untilInterrupted((signal) => run(options, self, signal)));
}

async function run(options: StreamOptions, self: Command, signal: AbortSignal): Promise<void> {
  if (options.listDevices) return listDevices(signal);
  const settings = await withVoiceId(settingsOf(self));
  const voice = await chooseVoice(settings, options.language);
  const destination = destinationOf(options, Boolean(process.stdout.isTTY));
  const typing = Boolean(process.stdin.isTTY);
  if (typing && liveLines(options.quiet ?? false))
    process.stderr.write('Type a line and press Enter. Ctrl-D ends, Ctrl-C stops at once.\n');
  const show = options.show ?? false;
  // A terminal that a person types into is not redrawn; whole lines are added.
  const screen = typing ? (show ? 'spoken' : 'none') : 'lines';

  await runSpeech(
    { settings, voice, destination, options, show, steady: false, ssml: isMarked(options), screen },
    async ({ address, model, sink, progress, leftOut }, runSignal) => {
      const [{ PAUSES, speakStream }, { decodeText }] = await Promise.all([
        import('../../client/speak-stream.js'),
        import('../../client/text-feed.js'),
      ]);
      const typed = decodeText(process.stdin as AsyncIterable<Buffer>);
      const stopReading = () => process.stdin.destroy();
      runSignal.addEventListener('abort', stopReading, { once: true });
      try {
        await speakStream(
          {
            address,
            voice,
            params: streamParams(model, options),
            speed: options.speed ?? 1,
            text: options.voiceTags ? tagged(typed, await openVoiceTags(settings.config.voicesDir)) : typed,
            // Tags leave no element open behind a sentence, so that a session may end there.
            ...(options.voiceTags && { pauses: { finishedMs: PAUSES.finishedMs } }),
            flushOnNewline: options.flushOnNewline ?? typing,
            sink,
            progress,
            leftOut,
          },
          runSignal,
        );
        progress.finished();
      } finally {
        runSignal.removeEventListener('abort', stopReading);
        process.stdin.destroy();
      }
    },
    signal,
  );
}

async function* tagged(text: AsyncIterable<string>, tags: VoiceTags): AsyncIterable<string> {
  for await (const piece of text) {
    const marked = tags.push(piece);
    if (marked !== '') yield marked;
  }
  const rest = tags.end();
  if (rest !== '') yield rest;
}
