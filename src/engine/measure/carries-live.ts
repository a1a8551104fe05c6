/** Does this machine speak base-tts as fast as it is heard? Answered from memory, without loading a runtime. */
import type { MachineUse } from './machine.js';
import { readMeasurement } from './remembered.js';

/** Work for a second of speech must leave this much room for everything else that runs. */
export const LIVE_FACTOR = 0.75;

/** Undefined where it was never measured. */
export async function carriesLive(modelDir: string, use: MachineUse): Promise<boolean | undefined> {
  const measured = await readMeasurement(modelDir, use);
  return measured && measured.realTimeFactor <= LIVE_FACTOR;
}
