/** Whether a multicast sent on this machine is received by it, as mDNS needs. */
import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';

const GROUP = '224.0.0.251';
const PATIENCE_MS = 1_000;

export async function hasMulticast(): Promise<boolean> {
  const outer = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  if (outer === undefined) return false;
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  try {
    return await new Promise<boolean>((resolve) => {
      setTimeout(resolve, PATIENCE_MS, false).unref();
      socket.on('error', () => resolve(false));
      socket.on('message', () => resolve(true));
      socket.bind(0, () => {
        socket.addMembership(GROUP);
        socket.send('?', socket.address().port, GROUP);
      });
    });
  } catch {
    return false;
  } finally {
    socket.close();
  }
}
