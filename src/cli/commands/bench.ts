/** `tts bench`: how many live listeners this machine, or any server, carries without a stall. */
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import type { ServerAddress } from '../../client/address.js';
import type { Trial } from '../../client/load/capacity.js';
import { BASE_MODELS } from '../../protocol/job.js';
import { closeSoon, connect } from '../connection.js';
import { addSettings, settingsOf } from '../context.js';
import { untilInterrupted } from '../interrupt.js';
import { checkModel, withVoiceId } from '../names.js';
import { printTable } from '../output.js';
import { right, shrinking } from '../table.js';
import { liveLines } from '../terminal.js';

interface BenchOptions {
  readonly json?: boolean;
  readonly compare?: string;
  readonly compareModel?: string;
  readonly compareVoice?: string;
  readonly quiet?: boolean;
}

/** One model on one server. */
interface Target extends ServerAddress {
  readonly name: string;
  readonly model: string;
  readonly voice: string;
}

interface Result {
  readonly server: string;
  readonly model: string;
  /** Live listeners without a stall. */
  readonly listeners: number;
  /** Seconds of speech per second when it has all it can do. */
  readonly speed: number;
  readonly first_audio_p50_ms: number | null;
  readonly first_audio_p95_ms: number | null;
}

/** About five seconds of speech each. */
const TEXTS = [
  'It was late when the last train came in, and nobody was waiting for it. The lamps went out one by one.',
  'Somebody had left a lantern on the wall, still burning. Under it there was a letter, folded in half.',
  'Nobody in the office could say who had ordered the clocks. They came on a Tuesday, forty of them.',
];
/** Texts that each listener hears, one after the other: a new one finds others there. */
const ROUNDS = 2;
/** A listener that waits longer for first audio (or than a single one, times) is not carried. */
const FIRST_WITHIN_MS = 3_000;
const FIRST_WITHIN_TIMES = 4;
const PRECISION = 0.08;
const SATURATE_SECONDS = 6;
/** Shares of what is made at most: where the search begins, and where it ends. */
const FROM = 0.8;
const MOST = 1.25;

const EXAMPLES = `
A listener plays what arrives in real time from its first sample; 50 ms of silence are a stall, and none may have one, nor
wait three seconds for that sample.

Examples:
  tts bench                                            this machine, both models
  tts bench -m base-tts-fast --json                    one of them, for a script
  tts bench --compare https://tts.example.com --api-key-file key.txt
  tts bench --compare https://api.openai.com --compare-model tts-1 --compare-voice alloy --api-key-file key.txt`;

export function command(): Command {
  const bench = new Command('bench')
    .description('Measures how many live listeners this machine carries, next to another server if you name one.')
    .option('--compare <URL>', 'measure this server too: one of this interface, or of OpenAI’s')
    .option('--compare-model <NAME>', 'the model to ask it for (default: the same)')
    .option('--compare-voice <NAME>', 'the voice to ask it for (default: the same)')
    .option('--json', 'print the figures as JSON')
    .option('-q, --quiet', 'no progress line');
  addSettings(bench, ['model', 'voice', 'server', 'apiKey', 'apiKeyFile', 'engine'], { model: '-m', voice: '-v' });
  return addSettings(bench, ['device', 'threads', 'workers', 'modelDir', 'voicesDir', 'offline', 'runtimeDir'])
    .addHelpText('after', EXAMPLES)
    .action((options: BenchOptions, self: Command) => untilInterrupted((signal) => run(options, self, signal)));
}

async function run(options: BenchOptions, self: Command, signal: AbortSignal): Promise<void> {
  const settings = await withVoiceId(settingsOf(self));
  const { config } = settings;
  const asked = checkModel(config.model);
  const models = asked === undefined ? BASE_MODELS.toReversed() : [asked];
  const show = progressLine(options.quiet ?? false);
  const connection = await connect(settings, { speech: true, crowd: true }, signal);
  try {
    show('starting …');
    await connection.ready();
    const targets = models.map((model): Target => ({ ...connection, model, voice: config.voice }));
    if (options.compare !== undefined) {
      const { parseBaseUrl } = await import('../../client/address.js');
      // Stock clients are given the address with the version in it.
      const baseUrl = parseBaseUrl(options.compare).href.replace(/\/(v1\/?)?$/, '');
      const other = { name: baseUrl, baseUrl, apiKey: config.apiKey, voice: options.compareVoice ?? config.voice };
      const named = options.compareModel === undefined ? models : [options.compareModel];
      targets.push(...named.map((model): Target => ({ ...other, model })));
    }
    // A server that does not let us in says so before the others are measured.
    for (const target of targets) await speakOnce(target, show, signal);
    const results: Result[] = [];
    for (const target of targets) results.push(await measure(target, show, signal));
    show('');
    if (options.json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
    else printResults(results);
  } finally {
    show('');
    await closeSoon(connection, signal);
  }
}

async function listenerOf(target: Target) {
  const [{ createHttpClient }, { httpListener }] = await Promise.all([
    import('../../client/http.js'),
    import('../../client/load/listener.js'),
  ]);
  const client = createHttpClient(target);
  return { listen: httpListener(client, target), close: () => client.close() };
}

const labelOf = ({ name, model }: Target): string => `${name}, ${model}:`;

async function speakOnce(target: Target, show: (line: string) => void, signal: AbortSignal): Promise<void> {
  const { listen, close } = await listenerOf(target);
  try {
    show(`${labelOf(target)} first words …`);
    await listen(TEXTS[0]!, signal);
  } finally {
    close();
  }
}

async function measure(target: Target, show: (line: string) => void, signal: AbortSignal): Promise<Result> {
  const { findCapacity, quantile, saturate } = await import('../../client/load/capacity.js');
  const { listen, close } = await listenerOf(target);
  const { name, model } = target;
  const label = labelOf(target);
  try {
    const { firstAudioMs } = await listen(TEXTS[1]!, signal);
    show(`${label} full speed …`);
    const crowd = { clients: Math.max(4, availableParallelism() * 2), seconds: SATURATE_SECONDS };
    const speed = await saturate({ listen, texts: TEXTS }, crowd, signal);
    const onTrial = ({ streams, carried, stalled, late, lost }: Trial) => {
      const how = carried ? 'without a stall' : `: ${stalled} stalled, ${late} began late, ${lost} refused`;
      show(`${label} ${streams} at once ${how} …`);
    };
    const best = await findCapacity(
      {
        listen,
        texts: TEXTS,
        arrivals: 'spread',
        rounds: ROUNDS,
        firstWithinMs: Math.max(FIRST_WITHIN_MS, FIRST_WITHIN_TIMES * firstAudioMs),
      },
      { from: Math.max(1, speed * FROM), most: Math.ceil(speed * MOST), precision: PRECISION, onTrial },
      signal,
    );
    const first = best?.heard.map(({ firstAudioMs }) => firstAudioMs) ?? [];
    const at = (share: number) => (first.length === 0 ? null : Math.round(quantile(first, share)));
    return {
      server: name,
      model,
      listeners: best?.streams ?? 0,
      speed: Number(speed.toFixed(1)),
      first_audio_p50_ms: at(0.5),
      first_audio_p95_ms: at(0.95),
    };
  } finally {
    close();
  }
}

function printResults(results: readonly Result[]): void {
  const rows = results.map((result) => [
    result.server,
    result.model,
    String(result.listeners),
    `${result.speed} × real time`,
    result.first_audio_p50_ms === null ? '' : `${result.first_audio_p50_ms} / ${result.first_audio_p95_ms} ms`,
  ]);
  const figures = ['LIVE LISTENERS', 'FULL SPEED', 'FIRST AUDIO P50 / P95'].map(right);
  printTable([shrinking('SERVER'), 'MODEL', ...figures], rows);
  const servers = [...new Set(results.map(({ server }) => server))];
  const sentences = servers.map((server) => {
    const own = results.filter((result) => result.server === server);
    const who = server.startsWith('http') ? server : 'This machine';
    return `${who} carries ${own.map(({ listeners, model }) => `${listeners} live listener${listeners === 1 ? '' : 's'} with ${model}`).join(', ')}.`;
  });
  process.stdout.write(`\n${sentences.join('\n')}\n`);
}

/** One line that is written over; nothing where nobody watches. */
function progressLine(quiet: boolean): (line: string) => void {
  if (!liveLines(quiet)) return () => undefined;
  return (line) => process.stderr.write(`\r\x1b[K${line.slice(0, Math.max(20, (process.stderr.columns ?? 80) - 1))}`);
}
