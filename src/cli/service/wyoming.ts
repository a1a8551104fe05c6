/** The Wyoming listener of `tts serve` and `tts wyoming`: its address, who may use it, its key. */
import { readFileSync } from 'node:fs';
import type { ServerAddress } from '../../client/address.js';
import type { Config } from '../../config.js';
import type { Logger } from '../../log.js';
import type { SpeechModel } from '../../protocol/contract.js';
import { TtsError } from '../../protocol/errors.js';
import { isLoopbackHost, Networks } from '../../protocol/networks.js';
import { packageVersion } from '../version.js';
import { listenError } from './listening.js';

/** Piper's, which Home Assistant proposes. */
const USUAL_PORT = 10_200;

export interface WyomingPlace {
  readonly host: string;
  readonly port: number;
  readonly allow: Networks;
  /** The name to announce; none where it is empty. */
  readonly announceAs: string;
  readonly isLocal: boolean;
}

export interface RunningWyoming {
  /** For people. */
  readonly url: string;
  stop(graceMs: number): Promise<void>;
}

/** `10200`, `0.0.0.0`, `0.0.0.0:10200`, `[::]:10200`. Throws `config_invalid`. */
function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host6, host4, port] = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = host6 ?? host4 ?? '';
  if (/^\d+$/.test(host) && port === undefined && Number(host) <= 65_535)
    return { host: '127.0.0.1', port: Number(host) };
  if ((host === '' && port === undefined) || Number(port ?? 0) > 65_535 || /^\d+$/.test(host)) {
    throw new TtsError(
      'config_invalid',
      `"${text}" is no address to listen on. Write a port (10200), a host, or both (0.0.0.0:10200, [::]:10200).`,
    );
  }
  return { host: host || '127.0.0.1', port: port === undefined ? USUAL_PORT : Number(port) };
}

/** Where it listens and for whom. Throws `config_invalid` where that would be open to strangers. */
export function wyomingPlace(address: string, { wyomingAllow, wyomingZeroconf }: Config): WyomingPlace {
  const { host, port } = parseAddress(address);
  const networks = wyomingAllow
    .split(',')
    .map((network) => network.trim())
    .filter(Boolean);
  const isLocal = isLoopbackHost(host);
  if (!isLocal && networks.length === 0) {
    throw new TtsError(
      'config_invalid',
      `Wyoming has no keys, so that everybody who reaches ${host} could speak. Name the networks that may with --wyoming-allow, such as 192.168.1.0/24.`,
    );
  }
  if (isLocal && wyomingZeroconf !== '') {
    throw new TtsError(
      'config_invalid',
      `--wyoming-zeroconf announces what nobody else reaches: listen beyond this machine, such as on 0.0.0.0:${port}.`,
    );
  }
  const allow = new Networks(networks, '--wyoming-allow', 'the clients');
  return { host, port, allow, announceAs: wyomingZeroconf, isLocal };
}

export const needsKey = (option: string): TtsError =>
  new TtsError(
    'config_invalid',
    `Beyond this machine the use of Wyoming is booked to a key: make one with tts keys create, and name its file with ${option}.`,
  );

/** The key of the settings; undefined where none is named. */
export function wyomingKey({ wyomingKeyFile: file }: Config): string | undefined {
  if (file === '') return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new TtsError('config_invalid', `The key of Wyoming cannot be read: ${(cause as Error).message}.`, { cause });
  }
}

interface StartOptions {
  readonly config: Config;
  readonly place: WyomingPlace;
  /** The server that speaks, with the key that its use is booked to. */
  readonly address: ServerAddress;
  readonly model: () => Promise<SpeechModel>;
  readonly log: Logger;
}

export async function startWyoming({ config, place, address, model, log }: StartOptions): Promise<RunningWyoming> {
  const [{ Speaker }, { WyomingServer }] = await Promise.all([
    import('../../wyoming/speaker.js'),
    import('../../wyoming/server.js'),
  ]);
  const speaker = new Speaker({ address, voice: config.voice, model, version: packageVersion() });
  const server = new WyomingServer({ speaker, allow: place.allow, log });
  const { host, announceAs } = place;
  const port = await server.listen(host, place.port).catch((cause: NodeJS.ErrnoException) => {
    throw listenError(cause, host, place.port, '--wyoming');
  });
  const withdraw =
    announceAs === '' ? undefined : (await import('../../wyoming/zeroconf.js')).announce(announceAs, port, log);
  const url = `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`;
  log.info({ url }, 'speaking Wyoming');
  return {
    url,
    async stop(graceMs) {
      await Promise.all([withdraw?.(), server.stop(graceMs)]);
    },
  };
}
