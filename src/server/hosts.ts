/**
 * Which names the server answers to. A page whose name was made to point at this machine after it was loaded still
 * sends its own name as Host: that is how it is told from a caller that means us.
 */
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, isIPv6, type Server } from 'node:net';
import { TtsError } from '../protocol/errors.js';

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[(?:::1|::ffff:127(?:\.\d{1,3}){3})\])$/;
const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/;

export const isLoopback = (address: string | undefined): boolean => LOOPBACK_ADDRESS.test(address ?? '');

/** Without its port and the root's dot. */
function nameOf(host: string): string {
  const name = host.trim().toLowerCase();
  return isIPv6(name) ? `[${name}]` : name.replace(/:\d*$/, '').replace(/\.$/, '');
}

/** `misdirected_request` where the request is meant for another host. */
export type HostCheck = (request: IncomingMessage) => TtsError | undefined;

/** On a loopback address loopback names and `allowed` are answered; elsewhere any, or only `allowed` where there are some. */
export function createHostCheck(server: Server, allowed: readonly string[]): HostCheck {
  const names = new Set(allowed.map(nameOf));
  let onLoopback = false;
  server.on('listening', () => {
    onLoopback = isLoopback((server.address() as AddressInfo | null)?.address);
  });
  return ({ headers: { host } }) => {
    // Browsers always name a host; what does not is no page.
    if (host === undefined || host === '' || names.has('*')) return undefined;
    if (!onLoopback && names.size === 0) return undefined;
    const name = nameOf(host);
    if (names.has(name) || (onLoopback && LOOPBACK.test(name))) return undefined;
    return new TtsError(
      'misdirected_request',
      'This server does not answer to the host of this request. Whoever runs it can allow it with --allowed-hosts.',
    );
  };
}
