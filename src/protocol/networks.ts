/** Lists of addresses and networks, as an operator writes them. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { TtsError } from './errors.js';

const NETWORK = /^([^/]+)(?:\/(\d{1,3}))?$/;

export class Networks {
  readonly #list = new BlockList();

  /** Throws `config_invalid` for what is no network; `flag` and `what` stand in its message. */
  constructor(networks: readonly string[], flag: string, what: string) {
    for (const network of networks) {
      const [, address = '', prefix] = NETWORK.exec(network) ?? [];
      const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6];
      const length = prefix === undefined ? bits : Number(prefix);
      if (bits < 0 || length > bits) {
        throw new TtsError(
          'config_invalid',
          `${flag}: "${network}" is no network. Name ${what} by addresses such as 10.0.0.7 or networks such as 10.0.0.0/8, separated by commas.`,
        );
      }
      this.#list.addSubnet(address, length, isIPv4(address) ? 'ipv4' : 'ipv6');
    }
  }

  /** Whether an address is in one of them; it may have a zone (`fe80::1%eth0`). */
  has(address: string | undefined): boolean {
    const bare = address?.split('%')[0] ?? '';
    return isIP(bare) !== 0 && this.#list.check(bare, isIPv4(bare) ? 'ipv4' : 'ipv6');
  }
}

const LOOPBACK = new Networks(['127.0.0.0/8', '::1'], '', '');

/** Whether what listens at this host is reached from this machine alone. */
export const isLoopbackHost = (host: string): boolean => host === 'localhost' || LOOPBACK.has(host);
