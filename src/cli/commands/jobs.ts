/** `tts jobs`: orders speech from a server, and fetches it when it is made. */
import { createReadStream, statSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { JobsClient } from '../../client/jobs.js';
import { TtsError } from '../../protocol/errors.js';
import { JOB_FORMATS, sourceTypeOf } from '../../protocol/jobs/names.js';
import type { Job } from '../../protocol/jobs/schemas.js';
import { connect } from '../connection.js';
import { addSettings, settingsOf } from '../context.js';
import { untilInterrupted } from '../interrupt.js';
import { printJson, printTable } from '../output.js';
import { speedOption } from '../speech-options.js';
import { right, shrinking } from '../table.js';

const EXAMPLES = `
Examples:
  tts jobs submit moby-dick.epub                  order an audiobook; prints the id of the job
  tts jobs submit notes.md --format opus --wait   and wait until it is made
  echo "Good morning." | tts jobs submit -        a text from a pipe
  tts jobs list
  tts jobs show job_01M7MT9JSY8ZDX0EX67SSEWPRM
  tts jobs fetch job_01M7MT9JSY8ZDX0EX67SSEWPRM -o moby.m4b
  tts jobs cancel job_01M7MT9JSY8ZDX0EX67SSEWPRM

Jobs are made by a server: tts serve on this machine, or --server URL with --api-key. They go on when this
command ends, and after a restart of the server where they broke.`;

const POLL_MS = 1_000;

interface SubmitOptions {
  readonly format?: string;
  readonly speed?: number;
  readonly chapters?: string;
  readonly notes?: string;
  readonly skipBroken?: boolean;
  readonly webhook?: string;
  readonly wait?: boolean;
  readonly json?: boolean;
}

interface ShownOptions {
  readonly json?: boolean;
}

/** Calls back with a client of the server that was named, or of one on this machine. */
async function withClient(
  self: Command,
  use: (client: JobsClient, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const settings = settingsOf(self);
  await untilInterrupted(async (signal) => {
    const { chooseLocalServer } = await import('../service/local-server.js');
    if (settings.config.server === '' && (await chooseLocalServer(settings, signal)) === undefined) {
      throw new TtsError(
        'connection_failed',
        'No server runs on this machine, and jobs outlive this command. Start one with tts serve, or name one with --server.',
      );
    }
    const connection = await connect(settings, {}, signal);
    try {
      const { JobsClient } = await import('../../client/jobs.js');
      await use(new JobsClient(connection), signal);
    } finally {
      await connection.close();
    }
  });
}

function sourceOf(file: string) {
  if (file === '-') return { contentType: 'text/markdown', body: process.stdin, filename: undefined };
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new TtsError(
      'usage',
      `${file} cannot be read: there is no such file. A text goes through a pipe: tts jobs submit -`,
    );
  }
  return { contentType: sourceTypeOf(file), body: createReadStream(file), filename: file };
}

async function submit(file: string, options: SubmitOptions, self: Command): Promise<void> {
  const { contentType, body, filename } = sourceOf(file);
  const { config, sources } = settingsOf(self);
  const { withVoiceId } = await import('../names.js');
  const voice = sources.voice === 'default' ? undefined : (await withVoiceId(settingsOf(self))).config.voice;
  const wanted = {
    model: config.model || undefined,
    voice,
    format: options.format,
    speed: options.speed === undefined ? undefined : String(options.speed),
    chapters: options.chapters,
    notes: options.notes,
    skip_broken: options.skipBroken ? 'true' : undefined,
    filename: filename?.split(/[/\\]/).at(-1),
    webhook_url: options.webhook,
  };
  const given = Object.entries(wanted).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  await withClient(self, async (client, signal) => {
    const job = await client.submit({ contentType, body }, Object.fromEntries(given), signal);
    const ended = options.wait ? await ending(client, job, signal) : job;
    if (options.json) printJson(ended);
    else if (process.stdout.isTTY) await describe(ended);
    else process.stdout.write(`${ended.id}\n`);
    if (options.wait) refuseUnfinished(ended);
  });
}

/** Waits until a job has ended. */
async function ending(client: JobsClient, first: Job, signal: AbortSignal): Promise<Job> {
  const { setTimeout: delay } = await import('node:timers/promises');
  let job = first;
  while (job.status === 'queued' || job.status === 'running') {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${job.status} ${job.progress.percent} %`);
    await delay(POLL_MS, undefined, { signal });
    job = await client.find(first.id, signal);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  return job;
}

function refuseUnfinished({ id, status, error }: Job): void {
  if (status === 'completed') return;
  const why = error === null ? '' : `: ${error.message}`;
  throw new TtsError('job_without_result', `The job ${id} is ${status}${why}${why.endsWith('.') ? '' : '.'}`);
}

async function describe(job: Job): Promise<void> {
  const { clockText, durationText, sizeText } = await import('../../client/ui/format.js');
  const { progress, result, error, webhook } = job;
  const left = progress.left_ms === null || job.status !== 'running' ? '' : `, ${durationText(progress.left_ms)} left`;
  const lines = [
    ['job', job.id],
    ['status', job.status === 'running' ? `running, ${progress.percent} %${left}` : job.status],
    ['book', [job.title, ...(job.author ? [`by ${job.author}`] : [])].join(' ')],
    ['chapters', String(job.chapters.length)],
    ['voice', `${job.voice} (${job.model})`],
    ['characters', `${job.characters}, ${job.credits} credits debited`],
    ...(result ? [['result', `${result.filename}, ${clockText(result.audio_ms)}, ${sizeText(result.bytes)}`]] : []),
    ...(result && job.expires_at ? [['kept until', job.expires_at]] : []),
    ...(error ? [['error', error.message]] : []),
    ...(webhook ? [['webhook', `${webhook.url}, ${webhook.status}${webhook.error ? ` (${webhook.error})` : ''}`]] : []),
    ...(webhook?.secret ? [['secret', webhook.secret]] : []),
  ];
  process.stdout.write(`${lines.map(([name, value]) => `${name!.padEnd(12)}${value}`).join('\n')}\n`);
}

async function list(options: ShownOptions & { readonly limit: string }, self: Command): Promise<void> {
  await withClient(self, async (client, signal) => {
    const { data } = await client.list({ limit: options.limit }, signal);
    if (options.json) return printJson(data);
    const columns = [
      'JOB',
      'STATUS',
      right('DONE'),
      right('CHARS'),
      right('CREDITS'),
      'CREATED (UTC)',
      shrinking('TITLE'),
    ];
    const rows = data.map((job) => [
      job.id,
      job.status,
      `${job.progress.percent} %`,
      String(job.characters),
      String(job.credits),
      job.created_at.replace('T', ' ').replace(/\.\d+Z$/, ''),
      job.title,
    ]);
    if (rows.length > 0) printTable(columns, rows);
    else process.stderr.write('There are no jobs.\n');
  });
}

const show = (id: string, options: ShownOptions, self: Command): Promise<void> =>
  withClient(self, async (client, signal) => {
    const job = await client.find(id, signal);
    if (options.json) printJson(job);
    else await describe(job);
  });

const cancel = (id: string, options: ShownOptions, self: Command): Promise<void> =>
  withClient(self, async (client, signal) => {
    const job = await client.cancel(id, signal);
    if (options.json) printJson(job);
    else process.stdout.write(`${job.id} is ${job.status}\n`);
  });

interface FetchOptions extends ShownOptions {
  readonly output?: string;
  readonly wait?: boolean;
}

const fetchResult = (id: string, { output, wait, json }: FetchOptions, self: Command): Promise<void> =>
  withClient(self, async (client, signal) => {
    const found = await client.find(id, signal);
    const job = wait ? await ending(client, found, signal) : found;
    refuseUnfinished(job);
    const file = output ?? job.result?.filename ?? `${id}.${job.format}`;
    await client.fetch(id, file, signal);
    const { sizeText } = await import('../../client/ui/format.js');
    if (json) printJson({ ...job, file });
    else process.stderr.write(`wrote ${file}, ${sizeText(statSync(file).size)}\n`);
  });

/** Every subcommand is told which server. */
const reaching = (command: Command): Command => {
  addSettings(command, ['server', 'apiKey', 'apiKeyFile', 'runtimeDir']);
  return command.option('--json', 'print the job as JSON');
};

export function command(): Command {
  const jobs = new Command('jobs')
    .description('Orders speech from a server, to be fetched when it is made: books, above all.')
    .addHelpText('after', EXAMPLES);
  const submitting = reaching(jobs.command('submit'))
    .description('Orders speech of an EPUB, Markdown, plain text or HTML file. Prints the id of the job.')
    .argument('<FILE>', 'the book, or - for text from a pipe')
    .addOption(new Option('--format <NAME>', 'format of the result').choices(JOB_FORMATS).default('m4b'))
    .option('--chapters <LIST>', 'only these chapters: 3, 3-7 or 1,4-')
    .addOption(new Option('--notes <WHERE>', 'footnotes').choices(['skip', 'end']).default('skip'))
    .option('--skip-broken', 'go on without the parts of the book that cannot be read')
    .addOption(speedOption())
    .option('--webhook <URL>', 'tell this address when the job has ended')
    .option('--wait', 'wait until it is made');
  addSettings(submitting, ['voice', 'model'], { voice: '-v', model: '-m' }).action(submit);
  reaching(jobs.command('list'))
    .description('Lists jobs of the key, the latest first.')
    .option('--limit <N>', 'at most so many, 1 to 100', '20')
    .action(list);
  reaching(jobs.command('show')).description('Shows a job.').argument('<JOB>', 'its id').action(show);
  reaching(jobs.command('fetch'))
    .description('Fetches the result of a job. A download that breaks goes on where it broke.')
    .argument('<JOB>', 'its id')
    .option('-o, --output <FILE>', 'write it there, else under the title of the book')
    .option('--wait', 'wait until it is made')
    .action(fetchResult);
  reaching(jobs.command('cancel'))
    .description('Cancels a job. Nothing is debited.')
    .argument('<JOB>', 'its id')
    .action(cancel);
  return jobs;
}
