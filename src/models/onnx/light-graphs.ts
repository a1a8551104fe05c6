/** The graphs of `base-tts-fast` that are made here for a GPU, from the files that ship. */
import type { GraphName, OwnFile } from '../manifest.js';
import { lightFramesGraph } from './light-front-gpu.js';
import { lightBlockGraph, lightGraph } from './light-gpu.js';

export type LightGraphName = Extract<GraphName, `light-${string}`>;

interface Recipe {
  readonly from: OwnFile;
  readonly make: (shipped: Uint8Array) => Uint8Array;
}

export const LIGHT_GRAPHS: Readonly<Record<LightGraphName, Recipe>> = {
  'light-gpu': { from: 'generator', make: lightGraph },
  'light-gpu-others': { from: 'generatorOthers', make: lightGraph },
  'light-blocks': { from: 'generator', make: lightBlockGraph },
  'light-blocks-others': { from: 'generatorOthers', make: lightBlockGraph },
  'light-frames': { from: 'front', make: lightFramesGraph },
};
