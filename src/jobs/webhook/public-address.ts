/**
 * Which addresses a webhook may go to. A name is looked up for the connection itself, and the
 * address that was looked at is the one that is connected to: a name cannot point elsewhere
 * between a check and its use.
 */
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** IANA's registries of special-purpose addresses, as far as they are not globally reachable. */
const IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/** Networks with an IPv4 address inside (mapped, NAT64, 6to4, Teredo) are among them. */
const IPV6 = [
  ...['::/96', '::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32'],
  ...['2002::/16', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

/** A list for each family: in one, networks of mapped addresses would hold all of IPv4. */
function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/');
    list.addSubnet(address!, Number(bits), family);
  }
  return list;
}
const BLOCKED = { ipv4: listOf(IPV4, 'ipv4'), ipv6: listOf(IPV6, 'ipv6') };

export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address);
  const name = family === 6 ? 'ipv6' : 'ipv4';
  return family !== 0 && !BLOCKED[name].check(address, name);
};

export class PrivateAddress extends Error {
  constructor(readonly host: string) {
    super(`${host} is not an address of the public internet`);
  }
}

/** The host of a URL without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Resolves names as the system does, and fails with `PrivateAddress` where one is not public. */
export const publicLookup: LookupFunction = (hostname, options, done) => {
  systemLookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) {
      done(error, '', 0);
      return;
    }
    const refused = found.find(({ address }) => !isPublicAddress(address));
    if (refused !== undefined || found.length === 0) done(new PrivateAddress(hostname), '', 0);
    else if (options.all) done(null, found);
    else done(null, found[0]!.address, found[0]!.family);
  });
};
