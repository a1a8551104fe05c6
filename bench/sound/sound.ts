/**
 * What instruments hear of the voices (judges.ts), and, where PulseAudio is there, time from the
 * first chunk to the first sound, with every player this machine has, as a recorder behind a null
 * sink of PulseAudio hears it; and how much of what was played was heard in one piece.
 *
 *   npm run bench -- sound [--sentences 12] [--voice ID] [--no-peer] [--runs 5] [--seconds 4]
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { openSpeaker as OpenSpeaker } from '../../src/client/sinks/speaker.js';
import { SAMPLE_RATE } from '../../src/protocol/audio.js';
import { hasPulse, heardInOnePiece, startSoundCard } from '../../testkit/sound/pulse.js';
import { VOICES } from '../../testkit/speech.js';
import { judge } from './judges.js';

const CHUNK = 2_400;

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sentences: { type: 'string', default: '12' },
      voice: { type: 'string', default: VOICES[0] },
      'no-peer': { type: 'boolean', default: false },
      runs: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
    },
  });
  if (Number(values.sentences) > 0) await judge(Number(values.sentences), !values['no-peer'], values.voice);
  const RUNS = Number(values.runs);
  if (!hasPulse()) {
    process.stderr.write(
      'It listens through PulseAudio: apt install pulseaudio pulseaudio-utils alsa-utils libasound2-plugins\n',
    );
    return;
  }

  /** The player process runs from the build. */
  const { openSpeaker } = (await import(path.resolve(import.meta.dirname, '../../dist/client/sinks/speaker.js'))) as {
    openSpeaker: typeof OpenSpeaker;
  };
  const signal = new AbortController().signal;
  const sound = Int16Array.from(
    { length: SAMPLE_RATE * Number(values.seconds) },
    (_, at) => ((at * 7_919) % 20_011) - 10_000 || 1,
  );

  const card = await startSoundCard();
  Object.assign(process.env, card.env);
  const without: string[] = [];
  process.stdout.write('player           first sound after the first chunk, ms   in one piece\n');
  for (;;) {
    const delays: number[] = [];
    let whole = 0;
    let name = '';
    for (let run = 0; run < RUNS; run++) {
      const sink = await openSpeaker({ without }, signal).catch(() => undefined);
      if (!sink) break;
      name = sink.player;
      const recorder = await card.record();
      const start = performance.now();
      for (let at = 0; at < sound.length; at += CHUNK) await sink.write(sound.subarray(at, at + CHUNK), signal);
      await sink.finish(signal);
      delays.push(recorder.firstSoundMs()! - start);
      if (heardInOnePiece(sound, await recorder.stop()) === sound.length) whole++;
    }
    if (name === '') break;
    delays.sort((a, b) => a - b);
    const median = delays[Math.floor(delays.length / 2)]!;
    const figures = `median ${median.toFixed(0)}, worst ${delays.at(-1)!.toFixed(0)}`;
    process.stdout.write(`${name.padEnd(17)}${figures.padEnd(40)}${whole} of ${RUNS}\n`);
    without.push(name);
  }
  await card.close();
}
