/**
 * The address a request came from: that of its connection, or the one that a trusted proxy names.
 * An X-Forwarded-For from any other address counts for nothing.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { TtsError } from '../../protocol/errors.js';

const NETWORK = /^([^/]+)(?:\/(\d{1,3}))?$/;

function add(list: BlockList, network: string): void {
  const [, address = '', prefix] = NETWORK.exec(network) ?? [];
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6];
  const length = prefix === undefined ? bits : Number(prefix);
  if (bits < 0 || length > bits) {
    throw new TtsError(
      'config_invalid',
      `--trust-proxy: "${network}" is no network. Name the proxies by addresses such as 10.0.0.7 or networks such as 10.0.0.0/8, separated by commas.`,
    );
  }
  list.addSubnet(address, length, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Takes `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1` and `[2001:db8::1]:443`. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : bare;
}

export class ProxyTrust {
  readonly #list = new BlockList();
  readonly #onUntrusted: ((proxy: string | undefined) => void) | undefined;
  #warned = false;

  /** Throws `config_invalid` for what is no network. `onUntrusted` is called once. */
  constructor(networks: readonly string[], onUntrusted?: (proxy: string | undefined) => void) {
    for (const network of networks) add(this.#list, network);
    this.#onUntrusted = onUntrusted;
  }

  /** Whether this address is a trusted proxy's. */
  trusts(address: string | undefined): boolean {
    const bare = address?.split('%')[0] ?? '';
    return isIP(bare) !== 0 && this.#list.check(bare, isIPv4(bare) ? 'ipv4' : 'ipv6');
  }

  /** Undefined where the connection is gone. */
  addressOf({ socket, headers }: IncomingMessage): string | undefined {
    let address = socket.remoteAddress;
    const said = headers['x-forwarded-for'];
    if (said === undefined) return address;
    if (!this.#warned && !this.trusts(address)) {
      this.#warned = true;
      this.#onUntrusted?.(address);
    }
    // Each proxy appends the address it saw: read backwards, as long as the proxy is trusted.
    const hops = (typeof said === 'string' ? said : said.join(',')).split(',');
    while (this.trusts(address)) {
      const before = addressIn(hops.pop() ?? '');
      if (before === undefined) break;
      address = before;
    }
    return address;
  }

  /** Whether the client's own connection, to a trusted proxy, has TLS. */
  isSecure({ socket, headers }: IncomingMessage): boolean {
    return this.trusts(socket.remoteAddress) && /^\s*https\s*(,|$)/i.test(String(headers['x-forwarded-proto'] ?? ''));
  }
}
