/** `tts bench`: how many live listeners this machine, or any server, carries without a stall, in a minute or two. */
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import type { ServerAddress } from '../client/address.js';
import type { Trial } from '../client/load/capacity.js';
import { BASE_MODELS } from '../protocol/job.js';
import { closeSoon, connect } from './connection.js';
import { addSettings, settingsOf } from './context.js';
import { untilInterrupted } from './interrupt.js';
import { table, terminalWidth } from './table.js';
import { liveLines } from './terminal.js';

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

/** About ten seconds of speech each. */
const TEXTS = [
  'It was late in the evening when the last train came in, and nobody was waiting for it. The lamps along the platform went out one by one.',
  'Somebody had left a lantern on the wall, still burning, with a folded letter under it. He put it into his coat, and they went on.',
  'Nobody in the office could say who had ordered the clocks. They came on a Tuesday, forty of them, each in its own wooden box.',
];
const SATURATE_SECONDS = 6;
const MOST_LISTENERS = 2_000;

const EXAMPLES = `
A listener plays what arrives in real time from its first sample; 50 ms of silence are a stall, and none may have one.

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
  const settings = settingsOf(self);
  const { config } = settings;
  const models = config.model === '' ? BASE_MODELS.toReversed() : [config.model];
  const show = progressLine(options.quiet ?? false);
  const connection = await connect(settings, { speech: true, crowd: true }, signal);
  try {
    show('starting …');
    await connection.ready();
    const targets = models.map((model): Target => ({ ...connection, model, voice: config.voice }));
    if (options.compare !== undefined) {
      const { parseBaseUrl } = await import('../client/address.js');
      // Stock clients are given the address with the version in it.
      const baseUrl = parseBaseUrl(options.compare).href.replace(/\/(v1\/?)?$/, '');
      const other = { name: baseUrl, baseUrl, apiKey: config.apiKey, voice: options.compareVoice ?? config.voice };
      const named = options.compareModel === undefined ? models : [options.compareModel];
      targets.push(...named.map((model): Target => ({ ...other, model })));
    }
    const results: Result[] = [];
    for (const target of targets) results.push(await measure(target, show, signal));
    show('');
    process.stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : inWords(results));
  } finally {
    show('');
    await closeSoon(connection, signal);
  }
}

async function measure(target: Target, show: (line: string) => void, signal: AbortSignal): Promise<Result> {
  const [{ createHttpClient }, { httpListener }, { findCapacity, quantile, saturate }] = await Promise.all([
    import('../client/http.js'),
    import('../client/load/listener.js'),
    import('../client/load/capacity.js'),
  ]);
  const { name, model, voice } = target;
  const client = createHttpClient(target);
  const listen = httpListener(client, { model, voice });
  const label = `${name}, ${model}:`;
  try {
    show(`${label} first words …`);
    await listen(TEXTS[0]!, signal);
    show(`${label} full speed …`);
    const crowd = { clients: Math.max(4, availableParallelism() * 2), seconds: SATURATE_SECONDS };
    const speed = await saturate({ listen, texts: TEXTS }, crowd, signal);
    const onTrial = ({ streams, carried, stalled, lost }: Trial) =>
      show(`${label} ${streams} at once ${carried ? 'without a stall' : `: ${stalled} stalled, ${lost} refused`} …`);
    const best = await findCapacity(
      { listen, texts: TEXTS, arrivals: 'spread', rounds: 1 },
      { from: Math.max(1, speed / 2), most: MOST_LISTENERS, onTrial },
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
    client.close();
  }
}

function inWords(results: readonly Result[]): string {
  const rows = results.map((result) => [
    result.server,
    result.model,
    String(result.listeners),
    `${result.speed} × real time`,
    result.first_audio_p50_ms === null ? '' : `${result.first_audio_p50_ms} / ${result.first_audio_p95_ms} ms`,
  ]);
  const columns = [
    { title: 'SERVER', shrink: true },
    { title: 'MODEL' },
    { title: 'LIVE LISTENERS', align: 'right' },
    { title: 'FULL SPEED', align: 'right' },
    { title: 'FIRST AUDIO P50 / P95', align: 'right' },
  ] as const;
  const servers = [...new Set(results.map(({ server }) => server))];
  const sentences = servers.map((server) => {
    const own = results.filter((result) => result.server === server);
    const who = server.startsWith('http') ? server : 'This machine';
    return `${who} carries ${own.map(({ listeners, model }) => `${listeners} live listener${listeners === 1 ? '' : 's'} with ${model}`).join(', ')}.`;
  });
  return `${table(columns, rows, terminalWidth())}\n\n${sentences.join('\n')}\n`;
}

/** One line that is written over; nothing where nobody watches. */
function progressLine(quiet: boolean): (line: string) => void {
  if (!liveLines(quiet)) return () => undefined;
  return (line) => process.stderr.write(`\r\x1b[K${line.slice(0, Math.max(20, (process.stderr.columns ?? 80) - 1))}`);
}
