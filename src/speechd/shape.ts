/** Samples shortened and made quieter on their way to the server. */
import { createTimeStretch } from '../engine/time-stretch.js';

export interface Shape {
  push(pcm: Int16Array): Int16Array;
  end(): Int16Array;
}

/** Below this a stretch would change nothing that is heard. */
const UNHEARD = 0.005;

export function createShape(stretch: number, gain: number): Shape {
  const sound = Math.abs(stretch - 1) < UNHEARD ? undefined : createTimeStretch(stretch);
  const scaled = (pcm: Int16Array) => (gain === 1 ? pcm : pcm.map((sample) => Math.round(sample * gain)));
  return {
    push: (pcm) => scaled(sound ? sound.push(pcm) : pcm),
    end: () => scaled(sound ? sound.end() : new Int16Array(0)),
  };
}
