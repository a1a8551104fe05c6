/** A connection to NATS as workers and gateways use it: subjects under one prefix, kept up for as long as the process lives. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuthorizationError, credsAuthenticator, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import type { Logger } from '../log.js';
import { TtsError } from '../protocol/errors.js';

export interface BusOptions {
  /** One or several addresses of one cluster, separated by commas; user and password may stand in the first. */
  readonly servers: string;
  /** Every subject begins with it. */
  readonly prefix: string;
  /** A NATS credentials file, or ''. */
  readonly credsFile?: string;
  /** PEM files, or '': whom to believe besides the system's authorities, and what to show a server that asks who we are. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** What the server's own monitoring calls us. */
  readonly name: string;
  readonly log: Logger;
}

export interface Bus {
  readonly connected: boolean;
  /** Throws where the message is larger than the server takes. While there is no connection it goes nowhere. */
  publish(subject: string, payload: Uint8Array): void;
  subscribe(subject: string, receive: (payload: Uint8Array, subject: string) => void): () => void;
  /** Calls back when the connection was lost or is back. */
  onChange(listener: () => void): () => void;
  /** Sends what was published and closes. */
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
 * Waits for a server that is not there yet, until `signal` aborts; rejects with `config_invalid` where it was reached and there is no
 * use in trying again.
 */
export async function openBus(options: BusOptions, signal: AbortSignal): Promise<Bus> {
  const { log } = options;
  const settings = connectionOptions(options);
  const server = settings.servers.map((address) => address.replace(/^.*@/, '')).join(',');
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)) {
    signal.throwIfAborted();
    try {
      const connection = await connect(settings);
      if (!signal.aborted) {
        log.info({ server, prefix: options.prefix }, 'connected to NATS');
        return new NatsBus(connection, options, server);
      }
      await connection.close();
    } catch (cause) {
      if (isFinal(cause)) {
        const why = (cause as Error).message;
        throw new TtsError('config_invalid', `NATS at ${server} refused the connection: ${why}. ${ADVICE}`, { cause });
      }
      log.warn({ server, reason: (cause as Error).message, waitMs }, 'NATS cannot be reached yet');
      // Where it is broken off, the next round says so.
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

const ADVICE = 'Check the user and password in TTS_NATS, --nats-creds and --nats-ca.';

/** No waiting will mend it: who we are, or whom we believe. */
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
    // A password that was changed on the server is changed there again by somebody who sees our log.
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
    throw new TtsError('config_invalid', '--nats must be an address such as nats://host:4222 or tls://host:4222.');
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
  readonly #listeners = new Set<() => void>();
  #connected = true;

  constructor(connection: NatsConnection, { prefix, log }: BusOptions, server: string) {
    this.#connection = connection;
    this.#prefix = prefix;
    void this.#follow(log, server);
  }

  get connected(): boolean {
    return this.#connected;
  }

  publish(subject: string, payload: Uint8Array): void {
    if (this.#connected) this.#connection.publish(`${this.#prefix}.${subject}`, payload);
  }

  subscribe(subject: string, receive: (payload: Uint8Array, subject: string) => void): () => void {
    const from = this.#prefix.length + 1;
    const subscription = this.#connection.subscribe(`${this.#prefix}.${subject}`, {
      // Iterators queue without bound; this is called as messages come.
      callback: (error, message) => {
        if (error === null) receive(message.data, message.subject.slice(from));
      },
    });
    return () => subscription.unsubscribe();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    // What was published last says goodbye; a server that is not there does not hear it.
    if (this.#connected) await this.#connection.flush().catch(() => undefined);
    this.#connected = false;
    await this.#connection.close();
  }

  async #follow(log: Logger, server: string): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === 'disconnect' || status.type === 'reconnect') {
        this.#connected = status.type === 'reconnect';
        if (this.#connected) log.info({ server }, 'connected to NATS again');
        else log.warn({ server }, 'the connection to NATS was lost; it is made again');
        for (const listener of [...this.#listeners]) listener();
      } else if (status.type === 'error') {
        log.warn({ server, reason: status.error.message }, 'NATS reported an error');
      }
    }
  }
}
