/** The address of a server: its HTTP base address, and the WebSocket address to it. */

import type { TextPart } from '../protocol/delivery/delivery.js';
import {
  deliveryPreference,
  type PreferredDelivery,
  partPreference,
  WHOLE_SENTENCES,
} from '../protocol/delivery/preference.js';
import { TtsError } from '../protocol/errors.js';

export interface ServerAddress {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The server's certificate (PEM), if known beforehand: then no other one is accepted. */
  readonly certificate?: string;
  /** The audio is written to a file, so that no sentence is cut to be heard sooner. */
  readonly unheard?: boolean;
  /** How the text is delivered; the server's default where absent. */
  readonly delivery?: PreferredDelivery | undefined;
}

/** Headers of every request; `part` where its text is one of several. */
export function headersOf({ apiKey, unheard, delivery }: ServerAddress, part?: TextPart): Record<string, string> {
  const preferences = [
    unheard ? WHOLE_SENTENCES : undefined,
    delivery && deliveryPreference(delivery),
    part && partPreference(part),
  ].filter((each) => each !== undefined);
  return {
    ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    ...(preferences.length > 0 ? { prefer: preferences.join(', ') } : {}),
  };
}

/** Options of TLS for a server; none where its certificate is not known beforehand. */
export const trustIn = ({ certificate }: ServerAddress) =>
  certificate === undefined
    ? {}
    : // It may have any name: the server is reached by an address of this machine.
      { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };

/** Accepts what people type (`localhost:8787`, a slash at the end). */
export function parseBaseUrl(typed: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `http://${typed}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new TtsError('usage', `"${typed}" is not a server address. Write one such as http://127.0.0.1:8787.`, {
      cause,
    });
  }
  const plain = { 'ws:': 'http:', 'wss:': 'https:' }[url.protocol];
  if (plain) url = new URL(url.href.replace(url.protocol, plain));
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TtsError('usage', `A server address begins with http:// or https://, not ${url.protocol}//.`);
  }
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
  url.search = '';
  url.hash = '';
  return url;
}

export function endpoint(baseUrl: string, path: string): URL {
  const url = parseBaseUrl(baseUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  return url;
}

export function socketEndpoint(baseUrl: string, path: string): URL {
  const url = endpoint(baseUrl, path);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url;
}
