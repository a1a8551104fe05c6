/** The announcement over mDNS, found by a browser of such announcements. */
import { Bonjour, type Service } from 'bonjour-service';
import { afterAll, expect, it } from 'vitest';
import { silentLogger } from '../../src/log.js';
import { announce } from '../../src/wyoming/zeroconf.js';
import { hasMulticast } from '../support/multicast.js';

const isReached = await hasMulticast();
if (!isReached) console.warn('This machine lets no multicast come back to it: mDNS is not tested.');

const browser = isReached ? new Bonjour() : undefined;
afterAll(() => browser?.destroy());

it.skipIf(!isReached)('names the service, its port and its type, until it is taken back', async () => {
  const name = `tts-${process.pid}`;
  const found = new Promise<Service>((resolve) => {
    browser!.find({ type: 'wyoming' }, (service) => {
      if (service.name === name) resolve(service);
    });
  });
  const withdraw = announce(name, 10_234, silentLogger());
  expect(await found).toMatchObject({ name, port: 10_234, type: 'wyoming', protocol: 'tcp' });
  await withdraw();
});
