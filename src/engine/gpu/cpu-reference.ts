/**
 * What a GPU is compared with: two sentences as the CPU speaks them, in the model's most exact
 * form. They are made once for all forms of a model.
 */
import type { GpuModelFiles, VoiceGroup } from '../../models/model-files.js';
import { UNSCHEDULED } from '../engine.js';
import { type AcousticGraphs, acousticGraphs, runAcousticModel } from '../graphs/acoustic-model.js';
import { GraphThread } from '../graphs/graph-threads.js';
import { packed, unpacked } from '../graphs/packed.js';
import type { Styles } from '../styles.js';
import { createFastVocoder } from '../vocoder/fast-vocoder.js';
import type { AcousticFeatures } from '../vocoder/features.js';
import type { Graph } from '../vocoder/vocoder.js';
import { oneWindow } from '../vocoder/windows.js';

export interface Sentence {
  readonly text: string;
  readonly style: string;
  readonly ids: readonly number[];
}

export const SENTENCES: readonly Sentence[] = [
  {
    text: 'The train to Oslo leaves at nine.',
    style: 'af_heart',
    ids: [
      81, 83, 16, 62, 123, 156, 24, 56, 16, 62, 135, 16, 156, 69, 61, 54, 31, 16, 54, 156, 51, 64, 68, 16, 72, 62, 16,
      56, 156, 25, 56, 4,
    ],
  },
  {
    text: 'Her voice was low, and warm as summer rain.',
    style: 'bm_george',
    ids: [
      50, 87, 123, 16, 64, 156, 41, 61, 16, 65, 138, 68, 16, 54, 156, 31, 3, 72, 56, 46, 16, 65, 156, 76, 123, 55, 16,
      72, 68, 16, 61, 156, 138, 55, 83, 123, 16, 123, 156, 24, 56, 4,
    ],
  },
];

interface Spoken {
  readonly features: AcousticFeatures;
  readonly samples: Float32Array;
}

export interface ReferenceOptions {
  readonly keptDir: string;
  readonly files: GpuModelFiles;
  /** Of the light vocoder, which weights are meant. */
  readonly group: VoiceGroup;
  readonly styles: Styles;
}

export class CpuReference {
  readonly #options: ReferenceOptions;
  readonly #spoken = new Map<Sentence, Spoken>();
  #thread: GraphThread | undefined;

  constructor(options: ReferenceOptions) {
    this.#options = options;
  }

  async of(sentence: Sentence): Promise<Spoken> {
    const known = this.#spoken.get(sentence);
    if (known) return known;
    const { files, styles } = this.#options;
    const cpu = await this.#open();
    const features = await featuresOf(
      styles,
      sentence,
      acousticGraphs(graphIn(cpu, 'melody'), graphIn(cpu, 'features')),
    );
    const spoken = { features, samples: await samplesOf(cpu, files, features) };
    this.#spoken.set(sentence, spoken);
    return spoken;
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }

  async #open(): Promise<GraphThread> {
    if (this.#thread) return this.#thread;
    const { keptDir, files, group } = this.#options;
    this.#thread = new GraphThread('cpu', 4, keptDir);
    for (const part of ['melody', 'features'] as const) await this.#thread.open(part, files.acousticModel, { part });
    await this.#thread.open('reference', files.model === 'base-tts' ? files.generatorFloat : files.vocoder[group]);
    return this.#thread;
  }
}

export async function featuresOf(
  styles: Styles,
  { style, ids }: Sentence,
  graphs: AcousticGraphs,
): Promise<AcousticFeatures> {
  const tokens = ids.map((id) => ({ id, symbol: '', start: 0, end: 0 }));
  return runAcousticModel(graphs, tokens, await styles.take([{ style, weight: 1 }], ids.length, 0), UNSCHEDULED);
}

const graphIn = (thread: GraphThread, name: string): Graph => ({
  run: async (feeds) => unpacked((await thread.run(name, packed(feeds))).outputs),
  release: async () => undefined,
});

async function samplesOf(
  cpu: GraphThread,
  { model }: GpuModelFiles,
  features: AcousticFeatures,
): Promise<Float32Array> {
  const { x, f0, s, frames } = features;
  if (model === 'base-tts') {
    const { outputs } = await cpu.run('reference', packed({ x, f0, s }));
    return outputs.waveform!.data as Float32Array;
  }
  const graph: Graph = { ...graphIn(cpu, 'reference'), narrows: true };
  return (await createFastVocoder(graph, oneWindow).begin(features, 0, frames).next(UNSCHEDULED)).samples;
}
