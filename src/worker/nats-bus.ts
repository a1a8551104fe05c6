/** A connection to NATS: subjects under one prefix, reconnected until it is closed. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AuthorizationError,
  credsAuthenticator,
  type NatsConnection,
  PermissionViolationError,
} from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import type { Logger } from '../log.js';
import { TtsError } from '../protocol/errors.js';
import { LogBrake } from './log-brake.js';
import { NEEDED_PAYLOAD_BYTES } from './nats-wire.js';

export interface BusOptions {
  /** Addresses of one cluster, separated by commas; one of them may contain user and password. */
  readonly servers: string;
  /** Every subject begins with it. */
  readonly prefix: string;
  /** A NATS credentials file, or ''. */
  readonly credsFile?: string;
  /** PEM files, or '': an authority besides the system's, and a client certificate with its key. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** Name of this connection in the server's monitoring. */
  readonly name: string;
  readonly log: Logger;
}

type Receive = (payload: Uint8Array, subject: string) => void;

export interface Bus {
  /** Also false while the server only takes messages that are too small for ours. */
  readonly connected: boolean;
  /** Throws where the message is too large for the server. Without a connection it is dropped. */
  publish(subject: string, payload: Uint8Array): void;
  /** Errors of `receive` are logged. `onDenied` is called where the server does not allow it. */
  subscribe(subject: string, receive: Receive, onDenied?: (error: TtsError) => void): () => void;
  /** Calls back when the connection was lost or is back. */
  onChange(listener: () => void): () => void;
  /** Flushes what was published and closes. */
  close(): Promise<void>;
}

/** A server that does not answer is noticed after two of these. */
const PING_MS = 1_000;
const RECONNECT_MS = 100;
const DIAL_MS = 5_000;
/** Between attempts while the server was never there. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 5_000;

/**
 * Waits for a server that is not there yet, until `signal` aborts. Rejects with `config_invalid`
 * where it was reached and another attempt would fail as well.
 */
export async function openBus(options: BusOptions, signal: AbortSignal): Promise<Bus> {
  const { log } = options;
  const settings = connectionOptions(options);
  const server = settings.servers.map((address) => address.replace(/^.*@/, '')).join(',');
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)) {
    signal.throwIfAborted();
    try {
      const connection = await connect(settings);
      const tooSmall = payloadError(connection, server);
      if (tooSmall !== undefined) {
        await connection.close();
        throw tooSmall;
      }
      if (!signal.aborted) {
        log.info({ server, prefix: options.prefix }, 'connected to NATS');
        return new NatsBus(connection, options, server);
      }
      await connection.close();
    } catch (cause) {
      if (cause instanceof TtsError) throw cause;
      if (isFinal(cause)) {
        const why = (cause as Error).message;
        throw new TtsError('config_invalid', `NATS at ${server} refused the connection: ${why}. ${ADVICE}`, { cause });
      }
      log.warn({ server, reason: (cause as Error).message, waitMs }, 'NATS cannot be reached yet');
      // After an abort, the next round throws.
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** An error that names the server's setting, where it would refuse our messages. */
function payloadError({ info }: NatsConnection, server: string): TtsError | undefined {
  const most = info?.max_payload ?? NEEDED_PAYLOAD_BYTES;
  if (most >= NEEDED_PAYLOAD_BYTES) return undefined;
  return new TtsError(
    'config_invalid',
    `NATS at ${server} takes messages of at most ${most} bytes, and speech needs ${NEEDED_PAYLOAD_BYTES}. Set max_payload in the configuration of that server to ${NEEDED_PAYLOAD_BYTES} or more (its default is 1 MB).`,
  );
}

const ADVICE = 'Check the user and password in TTS_NATS, --nats-creds and --nats-ca.';

/** Whether another attempt would fail as well: credentials or certificates are wrong. */
function isFinal(error: unknown): boolean {
  if (error instanceof AuthorizationError) return true;
  const { message = '', code = '' } = error as { message?: string; code?: string };
  return /does not support 'tls'|authorization|certificate|self.signed/i.test(message) || /^ERR_TLS|CERT/.test(code);
}

function connectionOptions({ servers, credsFile = '', caFile = '', certFile = '', keyFile = '', name }: BusOptions) {
  const addresses = servers.split(',').map((server) => parseAddress(server.trim()));
  const { user = '', pass = '' } = addresses.find((address) => address.user !== '') ?? {};
  const secure = addresses.some((address) => address.secure) || caFile !== '' || certFile !== '';
  const credentials = credsFile === '' ? undefined : readFile(credsFile, '--nats-creds');
  return {
    servers: addresses.map(({ host }) => host),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_MS,
    // A password that was changed on the server may be changed back, so reconnecting goes on.
    ignoreAuthErrorAbort: true,
    timeout: DIAL_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    noAsyncTraces: true,
    ...(credentials !== undefined && { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }),
    ...(user !== '' && (pass === '' ? { token: user } : { user, pass })),
    ...(secure && {
      tls: {
        ...(caFile !== '' && { ca: readFile(caFile, '--nats-ca') }),
        ...(certFile !== '' && { cert: readFile(certFile, '--nats-cert') }),
        ...(keyFile !== '' && { key: readFile(keyFile, '--nats-key') }),
      },
    }),
  };
}

function parseAddress(server: string): { host: string; user: string; pass: string; secure: boolean } {
  const full = /^\w+:\/\//.test(server) ? server : `nats://${server}`;
  if (!/^(nats|tls):\/\/[^/]/.test(full) || !URL.canParse(full)) {
    throw new TtsError(
      'config_invalid',
      '--nats must be an address such as nats://host:4222 or tls://host:4222, or several of one cluster, separated by commas.',
    );
  }
  const url = new URL(full);
  const [user, pass] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  return { host: `${url.hostname}:${url.port || '4222'}`, user, pass, secure: url.protocol === 'tls:' };
}

function readFile(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new TtsError('config_invalid', `${flag}: ${file} could not be read: ${(cause as Error).message}.`, { cause });
  }
}

class NatsBus implements Bus {
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #server: string;
  readonly #log: Logger;
  readonly #brake: LogBrake;
  readonly #listeners = new Set<() => void>();
  #linked = true;
  #closing = false;

  constructor(connection: NatsConnection, { prefix, log }: BusOptions, server: string) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#server = server;
    this.#log = log;
    this.#brake = new LogBrake(log);
    void this.#follow();
  }

  /** Checks the limit each time: after a reconnect another server or configuration may apply. */
  get connected(): boolean {
    return this.#linked && payloadError(this.#connection, this.#server) === undefined;
  }

  publish(subject: string, payload: Uint8Array): void {
    if (!this.connected) return;
    const most = this.#connection.info?.max_payload ?? payload.length;
    if (payload.length > most) {
      throw new TtsError(
        'synthesis_failed',
        `A message of ${payload.length} bytes is more than NATS takes: max_payload in the configuration of its server is ${most}.`,
      );
    }
    this.#connection.publish(`${this.#prefix}.${subject}`, payload);
  }

  subscribe(subject: string, receive: Receive, onDenied?: (error: TtsError) => void): () => void {
    const from = this.#prefix.length + 1;
    const subscription = this.#connection.subscribe(`${this.#prefix}.${subject}`, {
      // A callback, because iterators queue without bound.
      callback: (error, message) => {
        if (error instanceof PermissionViolationError) this.#denied(error, onDenied);
        if (error !== null) return;
        // The library takes an exception for a fault of the connection and closes that.
        try {
          receive(message.data, message.subject.slice(from));
        } catch (cause) {
          this.#brake.write('warn', { subject, err: cause }, 'a message on NATS could not be acted on');
        }
      },
    });
    return () => subscription.unsubscribe();
  }

  #denied({ subject }: PermissionViolationError, onDenied: ((error: TtsError) => void) | undefined): void {
    const denied = new TtsError(
      'config_invalid',
      `NATS at ${this.#server} does not let this user subscribe to ${subject}. Allow it in the permissions of that server (deploy/nats/accounts.conf is an example), or check --nats-prefix and --worker-name.`,
    );
    this.#log.error({ subject, err: denied }, 'NATS cannot be used');
    onDenied?.(denied);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#listeners.clear();
    this.#brake.close();
    // The last messages announce that we leave.
    if (this.#linked) await this.#connection.flush().catch(() => undefined);
    this.#linked = false;
    await this.#connection.close();
  }

  async #follow(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === 'disconnect' || status.type === 'reconnect') this.#link(status.type === 'reconnect');
      else if (status.type === 'error')
        this.#brake.write('warn', { server: this.#server, reason: status.error.message }, 'NATS reported an error');
    }
    // The library ends the iteration only when it will not reconnect.
    if (!this.#closing) this.#link(false);
  }

  #link(linked: boolean): void {
    this.#linked = linked;
    const server = this.#server;
    const tooSmall = linked ? payloadError(this.#connection, server) : undefined;
    if (tooSmall !== undefined) this.#log.error({ server, err: tooSmall }, 'NATS cannot be used');
    else if (linked) this.#log.info({ server }, 'connected to NATS again');
    else this.#log.warn({ server }, 'the connection to NATS was lost; it is made again');
    for (const listener of [...this.#listeners]) listener();
  }
}
