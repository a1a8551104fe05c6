/** `--list-devices`: the sound devices this machine can be told to play on. */
import { printTable } from './output.js';
import { shrinking } from './table.js';

export async function listDevices(signal: AbortSignal): Promise<void> {
  const { findDevices } = await import('../client/sinks/devices.js');
  const devices = await findDevices(signal);
  if (devices.length === 0) {
    process.stderr.write('No devices to choose from: the sound goes where the settings of the system send it.\n');
    return;
  }
  const rows = devices.map(({ name, player, description }) => [name, player, description]);
  printTable(['DEVICE', 'PLAYER', shrinking('DESCRIPTION')], rows);
}
