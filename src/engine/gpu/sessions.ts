/** Both models with a GPU: fronts in threads on the CPU's cores beside one thread that owns the card and runs the generators, in batches. */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Tensor } from 'onnxruntime-node';
import { ensureModel } from '../../models/packs.js';
import type { Gpu } from '../../protocol/device.js';
import type { BaseModel } from '../../protocol/job.js';
import type { StepGrant } from '../engine.js';
import { GraphThread, GraphThreads } from '../graphs/graph-threads.js';
import { type LoadedModel, runFront, type Sessions } from '../graphs/sessions.js';
import { type Count, chooseThreads } from '../measure/machine.js';
import type { GpuCheck } from '../measure/remembered.js';
import { createStyles } from '../styles.js';
import { createFastVocoder } from '../vocoder/fast-vocoder.js';
import type { Graph } from '../vocoder/vocoder.js';
import { createWholeVocoder } from '../vocoder/whole-vocoder.js';
import { fixedWindows } from '../vocoder/windows.js';
import { Card } from './card.js';
import { type CardItem, packed, runOnCard, unpacked } from './card-runs.js';
import { testedGraph } from './check.js';
import { mostWindows, windowKind, windowSize } from './light-batch.js';

/** For the thread that feeds the card, and for the one that talks to the gateway. */
const SPARE_CORES = 2;

/**
 * Kokoro's utterances are of any length and normalised as a whole, so each is a run of its own; but while the card waits for nobody to
 * fetch the one before, it does a tenth more of them (measured).
 */
const WHOLE_AT_ONCE = 3;

export interface GpuSessionsOptions {
  readonly modelDir: string;
  readonly offline: boolean;
  readonly device: Gpu;
  /** The device failed under a run: nothing more will come of it. */
  readonly onLost: (error: unknown) => void;
  readonly onCheck?: (check: GpuCheck) => void;
  /** For the front of a listener who is alone; what he would have without a GPU, where absent. */
  readonly threads?: Count;
  readonly cores?: number;
}

export interface GpuSessions extends Sessions {
  /** Fronts at once. */
  readonly fronts: number;
  /** Threads of the one of a listener who is alone. */
  readonly loneThreads: number;
  /** Turns that keep cores and card busy: those that run, those that wait to be gathered, those on their way (measured). */
  readonly capacity: number;
  /** Seconds of the card for a second of the slower model's speech, of those that are loaded. */
  readonly realTimeFactor: number;
}

/** What an utterance has cost so far: cores and card work side by side, so that the dearer of the two is what counts. */
interface Lanes {
  frontMs: number;
  cardMs: number;
  toldMs: number;
}

export function createGpuSessions(options: GpuSessionsOptions): GpuSessions {
  const { modelDir, offline, device, onLost, onCheck, threads = 'auto', cores = availableParallelism() } = options;
  const keptDir = path.join(modelDir, 'optimised');
  const loneThreads = chooseThreads(threads, 1, cores);
  const fronts = new GraphThreads(Math.max(1, cores - SPARE_CORES), loneThreads, keptDir);
  const thread = new GraphThread(device, 2, keptDir);
  const card = new Card<CardItem, Float32Array>({
    kindOf: ({ graph, feeds }) => (graph === 'light' ? windowKind(feeds) : graph),
    sizeOf: ({ graph, feeds }) => (graph === 'light' ? windowSize(feeds) : 1),
    mostOf: (kind) => (kind === 'whole' ? WHOLE_AT_ONCE : mostWindows(kind)),
    run: (_kind, items) => runOnCard(thread, items, { givesItems: true }),
    onLost,
    ahead: 2,
    isShared: (kind) => kind !== 'whole',
  });
  const opened = new Map<string, Promise<void>>();
  const models = new Map<BaseModel, Promise<LoadedModel>>();
  const loaded = new Set<BaseModel>();
  let realTimeFactor = 0;
  /** By the style that a front gives and every run of its utterance takes. */
  const costs = new WeakMap<Tensor, Lanes>();

  function openOnce(graph: string, file: string): Promise<void> {
    const opening = opened.get(graph) ?? fronts.open(graph, file);
    opened.set(graph, opening);
    return opening;
  }

  function tell(s: Tensor, grant: StepGrant, more: Partial<Lanes>): void {
    const lanes = costs.get(s) ?? { frontMs: 0, cardMs: 0, toldMs: 0 };
    costs.set(s, lanes);
    lanes.frontMs += (more.frontMs ?? 0) / fronts.count;
    lanes.cardMs += more.cardMs ?? 0;
    const costMs = Math.max(lanes.frontMs, lanes.cardMs);
    grant.spent(costMs - lanes.toldMs);
    lanes.toldMs = costMs;
  }

  const frontOf = (file: string): Graph => ({
    async run(feeds, grant) {
      const { outputs, runMs } = await fronts.run(file, packed(feeds), grant);
      const tensors = unpacked(outputs);
      tell(tensors.s!, grant, { frontMs: runMs });
      return tensors;
    },
    release: async () => undefined,
  });
  const light: Graph = {
    async run(feeds, grant) {
      const { result, shareMs } = await card.run({ graph: 'light', feeds: packed(feeds) }, grant);
      tell(feeds.s!, grant, { cardMs: shareMs });
      return { waveform: new Tensor('float32', result, [1, result.length]) };
    },
    release: async () => undefined,
  };
  const whole: Graph = {
    async run({ x, f0, s }, grant) {
      const { outputs, runMs } = await fronts.run('source', packed({ f0: f0! }), grant);
      const feeds = { ...packed({ x: x!, s: s! }), source: outputs.source! };
      const { result, shareMs } = await card.run({ graph: 'whole', feeds }, grant);
      tell(s!, grant, { frontMs: runMs, cardMs: shareMs });
      return { waveform: new Tensor('float32', result, [1, result.length]) };
    },
    release: async () => undefined,
  };

  async function loadModel(model: BaseModel): Promise<LoadedModel> {
    const files = await ensureModel(model, { modelDir, offline, gpu: true });
    await openOnce(files.front, files.front);
    if (files.source) await openOnce('source', files.source);
    const styles = createStyles(files.stylesDir);
    const check = await testedGraph({ modelDir, device, files, styles, fronts, thread, keptDir }, { onCheck });
    realTimeFactor = Math.max(realTimeFactor, check.realTimeFactor ?? 0);
    const front = frontOf(files.front);
    return {
      styles,
      front: (tokens, style, grant) => runFront(front, tokens, style, grant),
      vocoder: files.fastGenerator ? createFastVocoder(light, fixedWindows) : createWholeVocoder(whole),
    };
  }

  return {
    fronts: fronts.count,
    loneThreads,
    capacity: 8 * fronts.count + 16,
    get realTimeFactor() {
      return realTimeFactor;
    },
    model(model) {
      let loading = models.get(model);
      if (!loading) {
        loading = loadModel(model);
        models.set(model, loading);
        loading.then(
          () => loaded.add(model),
          () => models.delete(model),
        );
      }
      return loading;
    },
    isLoaded: (model) => loaded.has(model),
    narrow: async () => undefined,
    async close() {
      await Promise.all([fronts.close(), thread.close()]);
    },
  };
}
