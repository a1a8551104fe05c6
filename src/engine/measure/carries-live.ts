/** Whether this machine speaks base-tts in real time, from what was measured; loads no runtime. */
import type { MachineUse } from './machine.js';
import { readMeasurement } from './remembered.js';

/** The largest real-time factor that leaves room for everything else that runs. */
export const LIVE_FACTOR = 0.75;

/** Undefined where nothing was measured. */
export async function carriesLive(modelDir: string, use: MachineUse): Promise<boolean | undefined> {
  const measured = await readMeasurement(modelDir, use);
  return measured && measured.realTimeFactor <= LIVE_FACTOR;
}
