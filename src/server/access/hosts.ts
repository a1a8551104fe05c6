/**
 * The host names that the server answers to, against DNS rebinding: a page whose name was made to
 * point at this machine still sends its own name as Host.
 */
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, BlockList, isIP, isIPv4, isIPv6, type Server } from 'node:net';
import { TtsError } from '../../protocol/errors.js';

/** RFC 3986, 3.2.2 and 3.2.3: an address in brackets or a name, with an optional port. No user. */
const AUTHORITY = /^(\[[0-9a-z:.]+\]|(?:[a-z0-9._~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::(\d*))?$/;
const IP_FUTURE = /^v[0-9a-f]+\.[0-9a-z:.]+$/;
/** What a resolver takes for a name, underscores included; RFC 3986 allows far more. */
const DNS_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_NAME_LENGTH = 253;
const MAX_PORT = 65_535;
/** RFC 9112, 3.2.2. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;

/** 127.0.0.0/8 and ::1, in any spelling; an IPv4 address inside an IPv6 one is matched as well. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** `address`: an IP address without brackets. */
export const isLoopback = (address = ''): boolean =>
  isIP(address) !== 0 && LOOPBACK.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

/** The host of an authority as it is compared: lower case, no port, no trailing dot. */
function hostOf(authority: string): string | undefined {
  const [, host, port = ''] = AUTHORITY.exec(authority.toLowerCase()) ?? [];
  if (host === undefined || Number(port) > MAX_PORT) return undefined;
  if (!host.startsWith('[')) return host.replace(/\.$/, '');
  const address = host.slice(1, -1);
  if (isIPv6(address)) return new URL(`http://${host}`).hostname;
  return IP_FUTURE.test(address) ? host : undefined;
}

const isName = (host: string): boolean => host.length <= MAX_NAME_LENGTH && DNS_NAME.test(host);

/** RFC 6761, 6.3: `localhost` and every name below it mean this machine. */
function isLoopbackHost(host: string): boolean {
  if (host.startsWith('[')) return isLoopback(host.slice(1, -1));
  return isLoopback(host) || host === 'localhost' || (isName(host) && host.endsWith('.localhost'));
}

/** The request target as it was sent; Fastify keeps it when it is rewritten. */
const targetOf = ({ originalUrl, url = '' }: IncomingMessage & { originalUrl?: string }): string => originalUrl ?? url;

/** The path and query of a request target that may name a host as well. */
export const originForm = (target = ''): string => {
  const rest = target.replace(ABSOLUTE_FORM, '');
  return rest.startsWith('/') || rest === '*' ? rest : `/${rest}`;
};

/** Host and port of a request. RFC 9112, 3.2.2: those in its target go before the Host header. */
export function authorityOf(request: IncomingMessage): string | undefined {
  // The target of CONNECT is where a proxy should go.
  const named = request.method === 'CONNECT' ? undefined : ABSOLUTE_FORM.exec(targetOf(request))?.[1];
  return named ?? request.headers.host;
}

const invalidHost = (why: string): TtsError =>
  new TtsError('invalid_value', `${why} Send one Host header with the name or address of this server.`, {
    param: 'host',
  });

/** What RFC 9112, 3.2, has answered with 400. */
function brokenHost({ rawHeaders, headers, httpVersion }: IncomingMessage): TtsError | undefined {
  let lines = 0;
  // `headers` has the first line alone.
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === 'host') lines += 1;
  if (lines > 1) return invalidHost('The request has more than one Host header.');
  if (lines === 0) return httpVersion === '1.0' ? undefined : invalidHost('The request has no Host header.');
  return hostOf(headers.host ?? '') === undefined
    ? invalidHost('The Host header is not a host with an optional port.')
    : undefined;
}

/** `invalid_value` for a missing or broken host, `misdirected_request` for another server's. */
export type HostCheck = (request: IncomingMessage) => TtsError | undefined;

/** Throws `config_invalid` for what could never match. */
function allowedHost(entry: string): string {
  const host = hostOf(isIPv6(entry) ? `[${entry}]` : entry);
  if (host !== undefined && (host.startsWith('[') || isName(host))) return host;
  throw new TtsError(
    'config_invalid',
    `--allowed-hosts: "${entry}" is no host. Name hosts such as tts.example.org or 10.0.0.7, separated by commas, or * for all.`,
  );
}

/**
 * On a loopback address, answers loopback names and those of `allowed`. On any other address,
 * answers every name, or those of `allowed` alone where there are some.
 */
export function createHostCheck(server: Server, allowed: readonly string[]): HostCheck {
  const all = allowed.includes('*');
  const hosts = new Set(allowed.filter((entry) => entry !== '*').map(allowedHost));
  let onLoopback = false;
  server.on('listening', () => {
    onLoopback = isLoopback((server.address() as AddressInfo | null)?.address);
  });
  return (request) => {
    const broken = brokenHost(request);
    if (broken !== undefined) return broken;
    const authority = authorityOf(request);
    // HTTP/1.0 needs none. Browsers always name a host; what does not is no page.
    if (authority === undefined) return undefined;
    const host = hostOf(authority);
    if (host === undefined) return invalidHost('The target of the request has no valid host.');
    if (all || (!onLoopback && hosts.size === 0)) return undefined;
    if (hosts.has(host) || (onLoopback && isLoopbackHost(host))) return undefined;
    return new TtsError(
      'misdirected_request',
      'This server does not answer to the host of this request. Its operator can allow it with --allowed-hosts.',
    );
  };
}
