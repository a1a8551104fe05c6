/** The NATS server that `tts serve` and `tts worker` are told of. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config, Source } from '../../config.js';
import type { WorkerPool } from '../../gateway/workers/pool.js';
import type { Logger } from '../../log.js';
import { TtsError } from '../../protocol/errors.js';
import type { BusOptions } from '../../worker/nats-bus.js';

/** A password on the command line could be read by everybody on the machine. */
export function refuseShownPassword(url: string, source: Source): void {
  if (source !== 'flag' || !url.includes('@')) return;
  throw new TtsError(
    'config_invalid',
    'A password in --nats can be read in the process list. Put the address into TTS_NATS or the config file, or use --nats-creds FILE.',
  );
}

export function busOptions(config: Config, name: string, log: Logger): BusOptions {
  const { nats, natsPrefix, natsCreds, natsCa, natsCert, natsKey } = config;
  if (!/^[\w-]+(\.[\w-]+)*$/.test(natsPrefix)) {
    throw new TtsError(
      'config_invalid',
      '--nats-prefix must be words of letters, digits, "-" and "_", joined by dots, such as speech.eu.',
    );
  }
  if ((natsCert === '') !== (natsKey === '')) {
    throw new TtsError('config_invalid', 'A certificate for NATS needs both --nats-cert and --nats-key.');
  }
  return {
    servers: nats,
    prefix: natsPrefix,
    credsFile: natsCreds,
    caFile: natsCa,
    certFile: natsCert,
    keyFile: natsKey,
    name,
    log,
  };
}

/** How long a start waits for a NATS server that does not answer. */
const FIRST_CONNECTION_MS = 3_000;
const RETRY_MS = 5_000;

export interface NatsLink {
  close(): Promise<void>;
}

/** Adds the workers on a NATS server to the pool, as soon as that server is reached. */
export async function watchNats(config: Config, reading: Reading, pool: WorkerPool, log: Logger): Promise<NatsLink> {
  const [{ openBus }, { NatsWorkers }] = await Promise.all([
    import('../../worker/nats-bus.js'),
    import('../../gateway/workers/nats-workers.js'),
  ]);
  const stopped = new AbortController();
  const options = busOptions(config, 'tts serve', log);
  let close = async (): Promise<void> => undefined;
  const join = async (): Promise<void> => {
    const bus = await openBus(options, stopped.signal);
    const watch = new NatsWorkers({ bus, pool, log, ...reading });
    close = async () => {
      watch.close();
      await bus.close();
    };
  };
  const late = new AbortController();
  const joined = join();
  const keepTrying = async (error: unknown): Promise<void> => {
    if (stopped.signal.aborted) return;
    log.error({ err: error }, 'the workers on NATS cannot be reached');
    await sleep(RETRY_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
    if (!stopped.signal.aborted) await join().catch(keepTrying);
  };
  joined.catch((error) => late.signal.aborted && void keepTrying(error));
  await Promise.race([joined, sleep(FIRST_CONNECTION_MS)]);
  late.abort();
  return {
    async close() {
      stopped.abort();
      await close();
    },
  };
}

/** What gateways and workers have to agree on: how text is read, and the styles of voices. */
export interface Reading {
  readonly textVersion: string;
  readonly styles: Readonly<Record<string, string>> | undefined;
}

export async function readingOf({ engine, lexicon }: Pick<Config, 'engine' | 'lexicon'>): Promise<Reading> {
  const [{ textVersion }, { styleDigests }, { dictionaryDigests }] = await Promise.all([
    import('../../text/text-version.js'),
    import('../../models/manifest.js'),
    import('../../models/language-packs.js'),
  ]);
  // The tone engine reads nothing, and has no styles.
  const isSine = engine === 'sine';
  const version =
    isSine && lexicon === '' ? 'sine' : `${isSine ? 'sine ' : ''}${textVersion(lexicon, dictionaryDigests())}`;
  return { textVersion: version, styles: isSine ? undefined : styleDigests() };
}
