/** Under which addresses a server is reached, from this machine and from others. */
import { networkInterfaces } from 'node:os';

export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

const urlOf = (host: string, { secure, port }: Listening): string =>
  `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;

const isEvery = (host: string): boolean => host === '0.0.0.0' || host === '::';
const isLoopback = (host: string): boolean => /^(127\.|localhost$|::1$)/.test(host);

/** What a client on this machine would type. */
export const localAddress = (at: Listening): string =>
  urlOf(at.host === '0.0.0.0' ? '127.0.0.1' : at.host === '::' ? '::1' : at.host, at);

/** What clients elsewhere would type; none where it listens to this machine alone. */
export function outerAddresses(at: Listening): string[] {
  if (isLoopback(at.host)) return [];
  if (!isEvery(at.host)) return [urlOf(at.host, at)];
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family, scopeid }) => !internal && (family === 'IPv4' || (at.host === '::' && !scopeid)))
    .map(({ address }) => urlOf(address, at));
}
