/** The key in a request, and the addresses that the brake counts. */
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TtsError } from '../../../src/protocol/errors.js';
import { createAuthenticator, presentedKey } from '../../../src/server/access/authenticate.js';
import { addressGroup } from '../../../src/server/access/failure-brake.js';
import { newRequestId } from '../../../src/server/request-id.js';
import { VirtualClock } from '../../../testkit/virtual-clock.js';

const request = (headers: Record<string, string>, remoteAddress = '192.0.2.1') =>
  ({ headers, socket: { remoteAddress } }) as unknown as IncomingMessage;

describe('the key of a request', () => {
  it.each([
    [{ authorization: 'Bearer abc' }, 'abc'],
    [{ authorization: 'bearer   abc  ' }, 'abc'],
    [{ authorization: 'Bearer abc', 'xi-api-key': 'other' }, 'abc'],
    [{ 'xi-api-key': ' abc ' }, 'abc'],
    [{ authorization: 'Basic abc', 'xi-api-key': 'key' }, 'key'],
    [{ authorization: 'Bearer a b' }, undefined],
    [{ authorization: 'Bearer' }, undefined],
    [{ 'xi-api-key': '' }, undefined],
    [{}, undefined],
  ] as [Record<string, string>, string | undefined][])('%j is %s', (headers, key) => {
    expect(presentedKey(request(headers))).toBe(key);
  });
});

describe('the brake', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('counts %s as %s', (address, counted) => {
    expect(addressGroup(address)).toBe(counted);
  });

  it('lets go a minute after the first failure, and holds one address only', async () => {
    const clock = new VirtualClock();
    const auth = createAuthenticator({
      accounts: { authenticate: async () => Promise.reject(new TtsError('invalid_api_key', 'No.')) },
      failedKeysPerMinute: 2,
      clock,
    });
    const fail = (address: string) =>
      auth
        .authenticate(request({ 'xi-api-key': 'x' }, address))
        .catch((error: TtsError) => [error.code, error.retryAfterS]);
    expect(await fail('192.0.2.1')).toEqual(['invalid_api_key', undefined]);
    clock.skip(30_000);
    expect(await fail('192.0.2.1')).toEqual(['invalid_api_key', undefined]);
    expect(await fail('192.0.2.1')).toEqual(['too_many_failed_keys', 30]);
    expect(await fail('192.0.2.2')).toEqual(['invalid_api_key', undefined]);
    clock.skip(30_000);
    expect(await fail('192.0.2.1')).toEqual(['invalid_api_key', undefined]);
  });
});

describe('the brake under a clock that is set back', () => {
  afterEach(() => vi.useRealTimers());

  it('still asks for no more than its minute', async () => {
    const auth = createAuthenticator({
      accounts: { authenticate: async () => Promise.reject(new TtsError('invalid_api_key', 'No.')) },
      failedKeysPerMinute: 1,
    });
    const fail = () => auth.authenticate(request({ 'xi-api-key': 'x' })).catch((error: TtsError) => error.retryAfterS);
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2036-01-01') });
    expect(await fail()).toBeUndefined();
    vi.setSystemTime(new Date('2026-01-01'));
    expect(await fail()).toBeLessThanOrEqual(60);
  });
});

describe('a new request id', () => {
  it('sorts by time', () => {
    const times = [0, 1, 1_000, 1_731_000_000_000, 1_731_000_000_001, 32 ** 10 - 1];
    const ids = times.map((time) => newRequestId(time));
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(new Set(Array.from({ length: 1_000 }, () => newRequestId(5))).size).toBe(1_000);
  });
});
