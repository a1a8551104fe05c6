/**
 * One delivery of a webhook, signed as Standard Webhooks says (standardwebhooks.com): the receiver
 * checks `webhook-signature` with its secret, `webhook-timestamp` against replays, and knows a
 * repeated delivery by its `webhook-id`.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import { isIP } from 'node:net';
import { TtsError } from '../../protocol/errors.js';
import { hostOf, isPublicAddress, PrivateAddress, publicLookup } from './public-address.js';

const SECRET_BYTES = 32;
const PREFIX = 'whsec_';
/** A receiver that takes longer is asked again later. */
const TIMEOUT_MS = 15_000;

export const drawSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

export interface Delivery {
  readonly url: string;
  readonly secret: string;
  /** The same for every attempt. */
  readonly id: string;
  readonly body: string;
  readonly timestampS: number;
}

function signatureOf({ secret, id, timestampS, body }: Omit<Delivery, 'url'>): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`;
}

/** Throws `invalid_value` where no webhook can go to this address. */
export function checkWebhookUrl(text: string, { privateToo }: { readonly privateToo: boolean }): void {
  const refuse = (why: string): never => {
    throw new TtsError('invalid_value', `The field "webhook_url" ${why}.`, { param: 'webhook_url' });
  };
  const url = URL.canParse(text) ? new URL(text) : refuse('must be a URL such as https://example.com/hook');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse('must begin with https:// or http://');
  if (url.username !== '' || url.password !== '') refuse('must not carry a name or password');
  if (privateToo) return;
  const host = hostOf(url);
  const isLocal = host === 'localhost' || host.endsWith('.localhost');
  if (isLocal || (isIP(host) !== 0 && !isPublicAddress(host))) {
    refuse('must be an address of the public internet; --jobs-private-webhooks of the server allows others');
  }
}

/** Resolves with the status; rejects where there is no answer. Redirections are not followed. */
export async function deliver(
  delivery: Delivery,
  { privateToo, signal }: { readonly privateToo: boolean; readonly signal: AbortSignal },
): Promise<number> {
  const url = new URL(delivery.url);
  const host = hostOf(url);
  // An address is connected to without a lookup.
  if (!privateToo && isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddress(host);
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = request(url, {
      method: 'POST',
      // A connection of its own: one that is kept open was checked for another delivery.
      agent: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      ...(!privateToo && { lookup: publicLookup }),
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(delivery.body)),
        'user-agent': 'tts-jobs',
        'webhook-id': delivery.id,
        'webhook-timestamp': String(delivery.timestampS),
        'webhook-signature': signatureOf(delivery),
      },
    });
    outgoing.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      // Nothing that it answers is read.
      response.destroy();
    });
    outgoing.on('error', reject);
    outgoing.end(delivery.body);
  });
}
