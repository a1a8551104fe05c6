/**
 * Both models with a GPU. Acoustic models run in threads on the CPU's cores; one further thread
 * owns the GPU and runs the vocoders, in batches.
 */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Tensor } from 'onnxruntime-node';
import type { GpuModelFiles, VoiceGroup } from '../../models/model-files.js';
import type { AcousticPart } from '../../models/onnx/acoustic-parts.js';
import { ensureModel } from '../../models/packs.js';
import type { Gpu } from '../../protocol/device.js';
import type { BaseModel } from '../../protocol/job.js';
import { AsyncMemo } from '../async-memo.js';
import { isSoon } from '../due-order.js';
import type { StepGrant } from '../engine.js';
import { type AcousticGraphs, graphName, runAcousticModel, runMelody } from '../graphs/acoustic-model.js';
import { GraphThread, GraphThreads } from '../graphs/graph-threads.js';
import { type Packed, packed, unpacked } from '../graphs/packed.js';
import { keyOf, type LoadedModel, type Sessions } from '../graphs/sessions.js';
import { type Count, chooseThreads } from '../measure/machine.js';
import type { GpuCheck } from '../measure/remembered.js';
import { createStyles } from '../styles.js';
import { createFastVocoder } from '../vocoder/fast-vocoder.js';
import type { Graph } from '../vocoder/vocoder.js';
import { createWholeVocoder } from '../vocoder/whole-vocoder.js';
import { dueWindows } from '../vocoder/windows.js';
import { LIGHT_BLOCKS, testedGraph } from './check.js';
import { framesItem, mostUtterances, utteranceKind, utteranceSize } from './frames-batch.js';
import { GpuBatcher } from './gpu-batcher.js';
import { type GpuItem, LIGHT } from './gpu-item.js';
import { runOnGpu } from './gpu-runs.js';
import { mostWindows, windowKind, windowSize } from './light-batch.js';

/** Cores left to the thread that feeds the GPU and to the one that talks to the gateway. */
const SPARE_CORES = 2;
/** Threads of the runtime in the GPU's own thread. */
const GPU_THREADS = 2;
/**
 * Utterances of Kokoro's generator that are handed to the GPU together. Each is a run of its own,
 * because lengths differ and each is normalised as a whole; but nothing is fetched between them,
 * which gives a tenth more of them (measured on an H200).
 */
const WHOLE_AT_ONCE = 3;
/** Runs that the GPU has at most: one that it makes, and towards its end the next one. */
const RUNS_AHEAD = 2;
/**
 * Steps that keep cores and GPU busy, for each acoustic thread and besides: those that run, those
 * that wait to be batched, those on their way (measured on an H200 with 16 cores).
 */
const STEPS_PER_THREAD = 8;
const MORE_STEPS = 16;

const WINDOWS = { kindOf: windowKind, sizeOf: windowSize, mostOf: mostWindows };
/** Of each graph: what may share a run, its size, and the most of it in one run. */
const KINDS = {
  whole: { kindOf: () => '', sizeOf: () => 1, mostOf: () => WHOLE_AT_ONCE },
  light: WINDOWS,
  'light-others': WINDOWS,
  frames: { kindOf: utteranceKind, sizeOf: utteranceSize, mostOf: mostUtterances },
} as const satisfies Record<GpuItem['graph'], object>;

export interface GpuSessionsOptions {
  readonly modelDir: string;
  readonly offline: boolean;
  readonly device: Gpu;
  /** The device failed during a run and cannot be used any more. */
  readonly onLost: (error: unknown) => void;
  readonly onCheck?: (check: GpuCheck) => void;
  /** Threads of an acoustic model while the server is idle; as without a GPU, where absent. */
  readonly threads?: Count;
  readonly cores?: number;
}

/** What an utterance has cost so far. Cores and GPU work in parallel, so the larger one counts. */
interface UtteranceCost {
  coresMs: number;
  gpuMs: number;
  reportedMs: number;
}

const UNRELEASED = { release: async () => undefined };

export class GpuSessions implements Sessions {
  /** Acoustic models that run at once. */
  readonly acousticThreads: number;
  /** Threads of an acoustic model while the server is idle. */
  readonly threadsWhenIdle: number;
  /** Steps that keep cores and GPU busy. */
  readonly capacity: number;
  readonly #options: GpuSessionsOptions;
  readonly #keptDir: string;
  readonly #onCores: GraphThreads;
  readonly #onGpu: GraphThread;
  readonly #batcher: GpuBatcher<GpuItem, Packed>;
  /** By `graphName`. */
  readonly #opened = new AsyncMemo<string, void>();
  /** By `keyOf`. */
  readonly #models = new AsyncMemo<string, LoadedModel>();
  /** By the tensor `s` that an acoustic model makes and every run of its utterance takes. */
  readonly #costs = new WeakMap<Tensor, UtteranceCost>();
  #realTimeFactor = 0;
  /** The form of each model that was loaded. */
  readonly #forms = new Map<BaseModel, string>();

  constructor(options: GpuSessionsOptions) {
    const { modelDir, device, onLost, threads = 'auto', cores = availableParallelism() } = options;
    this.#options = options;
    this.#keptDir = path.join(modelDir, 'optimised');
    this.threadsWhenIdle = chooseThreads(threads, 1, cores);
    this.#onCores = new GraphThreads(Math.max(1, cores - SPARE_CORES), this.threadsWhenIdle, this.#keptDir);
    this.acousticThreads = this.#onCores.count;
    this.capacity = STEPS_PER_THREAD * this.acousticThreads + MORE_STEPS;
    this.#onGpu = new GraphThread(device, GPU_THREADS, this.#keptDir);
    this.#batcher = new GpuBatcher({
      kindOf: (item) => `${item.graph} ${KINDS[item.graph].kindOf(item.feeds)}`,
      sizeOf: (item) => KINDS[item.graph].sizeOf(item.feeds),
      mostOf: (kind) => {
        const [graph, size] = kind.split(' ') as [GpuItem['graph'], string];
        return KINDS[graph].mostOf(size);
      },
      run: (_kind, items) => runOnGpu(this.#onGpu, items, { givesItems: true }),
      onLost,
      ahead: RUNS_AHEAD,
      isShared: (kind) => !kind.startsWith('whole'),
    });
  }

  /** Seconds of the GPU for a second of speech, of the slowest model that is loaded. */
  get realTimeFactor(): number {
    return this.#realTimeFactor;
  }

  /** The forms of the models, which decide their samples. */
  get forms(): string {
    return [...this.#forms.values()].sort().join(' ');
  }

  model(model: BaseModel, group: VoiceGroup = 'english'): Promise<LoadedModel> {
    return this.#models.get(keyOf(model, group), () => this.#load(model, group));
  }

  isLoaded(model: BaseModel, group: VoiceGroup): boolean {
    return this.#models.isReady(keyOf(model, group));
  }

  /** All of them were opened with the model. */
  async openSingleThreaded(): Promise<void> {}

  async close(): Promise<void> {
    await Promise.all([this.#onCores.close(), this.#onGpu.close()]);
  }

  async #load(model: BaseModel, group: VoiceGroup): Promise<LoadedModel> {
    if (group !== 'english') {
      // Its form is that of all voices: the engine's version says it once.
      const english = await this.model(model);
      if (model === 'base-tts') return english;
    }
    const { modelDir, offline, device, onCheck } = this.#options;
    const files = await ensureModel(model, { modelDir, offline, gpu: true });
    await this.#openOnCores(files.acousticModel, 'melody');
    if (files.model === 'base-tts') await this.#openOnCores(files.gpu.source);
    const styles = createStyles(files.stylesDir);
    const [cores, thread, keptDir] = [this.#onCores, this.#onGpu, this.#keptDir];
    const check = await testedGraph(
      { modelDir, device, files, group, styles, cores, thread, keptDir },
      { onCheck, like: this.#forms.get(model) },
    );
    this.#realTimeFactor = Math.max(this.#realTimeFactor, check.realTimeFactor ?? 0);
    if (group === 'english') this.#forms.set(model, check.graph);
    const isSplit = check.graph.startsWith(LIGHT_BLOCKS);
    await this.#openOnCores(files.acousticModel, isSplit ? 'rows' : 'features');
    const acousticModel = isSplit ? this.#splitAcousticModel(files) : this.#acousticModel(files, 'features');
    const melody = this.#melody(files);
    return {
      styles,
      acousticModel: (tokens, style, grant, intone) => runAcousticModel(acousticModel, tokens, style, grant, intone),
      melody: (tokens, style, grant) => runMelody(melody, tokens, style, grant),
      vocoder:
        files.model === 'base-tts-fast'
          ? createFastVocoder(this.#light(group), dueWindows())
          : createWholeVocoder(this.#whole(files.gpu.source)),
    };
  }

  #openOnCores(file: string, part?: AcousticPart): Promise<void> {
    const name = graphName(file, part);
    return this.#opened.get(name, () => this.#onCores.open(name, file, part));
  }

  #melody({ acousticModel: file }: GpuModelFiles): Graph {
    return {
      ...UNRELEASED,
      run: async (feeds, grant) => {
        const { outputs, runMs } = await this.#onCores.run(graphName(file, 'melody'), packed(feeds), grant);
        const melody = unpacked(outputs);
        this.#charge(melody.s!, grant, { coresMs: runMs });
        return melody;
      },
    };
  }

  /** Both parts on one core. */
  #acousticModel({ acousticModel: file }: GpuModelFiles, second: 'features' | 'rows'): AcousticGraphs {
    return {
      run: (feeds, grant, tell) =>
        this.#onCores.work(async (thread) => {
          const melody = await thread.run(graphName(file, 'melody'), packed(feeds));
          const told = tell(unpacked(melody.outputs));
          const features = await thread.run(graphName(file, second), packed(told));
          this.#charge(told.s!, grant, { coresMs: melody.runMs + features.runMs });
          return unpacked(features.outputs);
        }, grant),
    };
  }

  /**
   * Melody on the cores, features on the GPU: but for what is due soon, which would wait for two
   * runs of the GPU before its first window.
   */
  #splitAcousticModel(files: GpuModelFiles): AcousticGraphs {
    const { acousticModel: file } = files;
    const onCores = this.#acousticModel(files, 'rows');
    return {
      run: async (feeds, grant, tell) => {
        if (isSoon(grant, performance.now())) return onCores.run(feeds, grant, tell);
        const { outputs, runMs } = await this.#onCores.run(graphName(file, 'melody'), packed(feeds), grant);
        const told = tell(unpacked(outputs));
        const { result, shareMs } = await this.#batcher.run(framesItem(packed(told)), grant);
        this.#charge(told.s!, grant, { coresMs: runMs, gpuMs: shareMs });
        return unpacked(result);
      },
    };
  }

  #light(group: VoiceGroup): Graph {
    return {
      ...UNRELEASED,
      run: async (feeds, grant) => {
        const { result, shareMs } = await this.#batcher.run({ graph: LIGHT[group], feeds: packed(feeds) }, grant);
        this.#charge(feeds.s!, grant, { gpuMs: shareMs });
        return unpacked(result);
      },
    };
  }

  /** Kokoro's generator; `source` is the file of its harmonic source, which runs on the cores. */
  #whole(source: string): Graph {
    return {
      ...UNRELEASED,
      run: async ({ x, f0, s }, grant) => {
        const { outputs, runMs } = await this.#onCores.run(source, packed({ f0: f0! }), grant);
        const feeds = { ...packed({ x: x!, s: s! }), source: outputs.source! };
        const { result, shareMs } = await this.#batcher.run({ graph: 'whole', feeds }, grant);
        this.#charge(s!, grant, { coresMs: runMs, gpuMs: shareMs });
        return unpacked(result);
      },
    };
  }

  #charge(s: Tensor, grant: StepGrant, { coresMs = 0, gpuMs = 0 }: Partial<UtteranceCost>): void {
    const cost = this.#costs.get(s) ?? { coresMs: 0, gpuMs: 0, reportedMs: 0 };
    this.#costs.set(s, cost);
    cost.coresMs += coresMs / this.acousticThreads;
    cost.gpuMs += gpuMs;
    const totalMs = Math.max(cost.coresMs, cost.gpuMs);
    grant.spent(totalMs - cost.reportedMs);
    cost.reportedMs = totalMs;
  }
}
