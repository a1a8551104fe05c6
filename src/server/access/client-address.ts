/**
 * The address a request came from: that of its connection, or the one that a trusted proxy names.
 * An X-Forwarded-For from any other address counts for nothing.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Networks } from '../../protocol/networks.js';

/** Takes `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1` and `[2001:db8::1]:443`. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : bare;
}

export class ProxyTrust {
  readonly #networks: Networks;
  readonly #onUntrusted: ((proxy: string | undefined) => void) | undefined;
  #warned = false;

  /** Throws `config_invalid` for what is no network. `onUntrusted` is called once. */
  constructor(networks: readonly string[], onUntrusted?: (proxy: string | undefined) => void) {
    this.#networks = new Networks(networks, '--trust-proxy', 'the proxies');
    this.#onUntrusted = onUntrusted;
  }

  /** Whether this address is a trusted proxy's. */
  trusts(address: string | undefined): boolean {
    return this.#networks.has(address);
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
