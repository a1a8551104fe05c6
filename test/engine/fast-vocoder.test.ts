/** The light vocoder: windows, whatever they are, against the whole run. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UNSCHEDULED } from '../../src/engine/engine.js';
import { toPcm } from '../../src/engine/finish.js';
import { withBlockedConvolutions } from '../../src/engine/graphs/blocked-convolutions.js';
import { openExact } from '../../src/engine/graphs/exact-products.js';
import { withFoldedTransforms } from '../../src/engine/graphs/folded-transforms.js';
import { withFusedProducts } from '../../src/engine/graphs/fused-products.js';
import { withHeadParts } from '../../src/engine/graphs/head-parts.js';
import { narrowed } from '../../src/engine/graphs/narrowed.js';
import { withOpenedNorms } from '../../src/engine/graphs/opened-norms.js';
import { asRun as formRun } from '../../src/engine/graphs/prepare.js';
import { cpuProvider } from '../../src/engine/graphs/provider.js';
import { createFastVocoder } from '../../src/engine/vocoder/fast-vocoder.js';
import { type Graph, graphOf, type Utterance } from '../../src/engine/vocoder/vocoder.js';
import { dueWindows, oneWindow, type Windows } from '../../src/engine/vocoder/windows.js';
import { createCodec, DATA_TYPE, type Model, type Node } from '../../src/models/onnx/schema.js';
import { withUnsignedWeights } from '../../src/models/onnx/unsigned.js';
import { decibelsOfDifference, furthestApart } from '../support/sound/clip-checks.js';
import { LIGHT_GENERATOR, lightReference } from '../support/sound/light-utterance.js';
import { unrounded } from '../support/sound/unrounded.js';

const codec = createCodec();
const generator8 = (): Uint8Array => readFileSync(LIGHT_GENERATOR);
const FUSED = 'MatMulIntegerToFloat';
/** Filter, free part and noise: magnitudes, angles and offsets. */
const PARTS_OF_HEAD = 9;
const nodesOf = ({ graph }: Model, type: string): Node[] => graph.node.filter(({ opType }) => opType === type);
const asRun = (model: Model): Uint8Array => codec.encode(withOpenedNorms(withFoldedTransforms(model, codec)!, codec)!);

describe('the light vocoder', () => {
  it('says the same in windows as in one run', async () => {
    const { whole, windowed, reference } = await bothWays(generator8());
    expect(decibelsOfDifference(whole, windowed)).toBeGreaterThan(30);
    expect(decibelsOfDifference(reference.waveform, windowed)).toBeGreaterThan(30);
  });

  it('in floats says so to a thousandth of full scale, and the same as in 8 bits', async () => {
    const { whole, windowed, reference } = await bothWays(unrounded(generator8()));
    expect(Math.max(...windowed.map((sample, at) => Math.abs(sample - whole[at]!)))).toBeLessThan(1e-3);
    expect(decibelsOfDifference(reference.waveform, windowed)).toBeGreaterThan(20);
  });

  it('says the same however it is cut, but for the last of 16 bits where sums are made in another order', async () => {
    const graph = graphOf(await openExact(generator8(), cpuProvider(2).sessionOptions));
    const reference = lightReference();
    const { frames } = reference;
    const pcmOf = async (windows: Windows): Promise<Int16Array> =>
      toPcm(await samplesOf(createFastVocoder(graph, windows).begin(reference, 0, frames)), 1);
    const whole = await pcmOf(oneWindow);
    for (const sizes of [[32, 128, 384], [32, 384], [384], [57, 40, 211], [40]]) {
      const size = (number: number): number => sizes[Math.min(number, sizes.length - 1)]!;
      const cut: Windows = {
        endOf: ({ number, from, to }) => Math.min(to, from + size(number)),
        ran: () => undefined,
      };
      const pcm = await pcmOf(cut);
      expect(pcm.length).toBe(whole.length);
      expect(furthestApart(pcm, whole), `windows of ${sizes}`).toBeLessThanOrEqual(1);
    }
    await graph.release();
  });
});

it('computes no more than is heard, and the same', async () => {
  const plain = codec.decode(generator8());
  const reference = lightReference();
  const { frames } = reference;
  const [whole, narrowing] = await Promise.all(
    [asRun(plain), asRun(narrowed(plain, codec)!)].map(async (bytes) =>
      graphOf(await openExact(bytes, cpuProvider(2).sessionOptions)),
    ),
  );
  let samples = 0;
  const counted: Graph = {
    ...narrowing!,
    run: async (feeds, grant) => {
      const made = await narrowing!.run(feeds, grant);
      samples += made.waveform!.dims[1]!;
      return made;
    },
  };
  expect([whole!.narrows, counted.narrows]).toEqual([false, true]);
  for (const [from, to] of [
    [0, frames],
    [25, frames - 3],
  ] as const) {
    const expected = toPcm(await samplesOf(createFastVocoder(whole!, oneWindow).begin(reference, from, to)), 1);
    for (const sizes of [[frames], [12, 32, 128, 384], [8], [57, 40, 211]]) {
      const cut: Windows = {
        endOf: ({ number, from, to }) => Math.min(to, from + sizes[Math.min(number, sizes.length - 1)]!),
        ran: () => undefined,
      };
      samples = 0;
      const pcm = toPcm(await samplesOf(createFastVocoder(counted, cut).begin(reference, from, to)), 1);
      expect(pcm.length).toBe(expected.length);
      expect(furthestApart(pcm, expected), `windows of ${sizes}, from ${from}`).toBeLessThanOrEqual(1);
      const windows = sizes.length === 1 ? Math.ceil((to - from) / sizes[0]!) : 8;
      expect(samples / 300).toBeLessThanOrEqual(to - from + 2 * windows);
    }
  }
  await Promise.all([whole!.release(), narrowing!.release()]);
});

describe('in the form in which it is run', () => {
  /** All of the reference's samples by a graph. */
  async function saidBy(bytes: Uint8Array): Promise<Float32Array> {
    const reference = lightReference();
    const graph = graphOf(await openExact(bytes, cpuProvider(1).sessionOptions));
    const samples = await samplesOf(createFastVocoder(graph, oneWindow).begin(reference, 0, reference.frames));
    await graph.release();
    return samples;
  }
  const products = () => withFusedProducts(codec.decode(generator8()), codec)!;

  it('says the same as it was shipped, but for sums that are rounded elsewhere', async () => {
    const [before, after] = await Promise.all(
      [generator8(), (await formRun(LIGHT_GENERATOR)) as Uint8Array].map(saidBy),
    );
    expect(after!.length).toBe(before!.length);
    expect(decibelsOfDifference(before!, after!)).toBeGreaterThan(40);
  });

  it('has no product apart from its scale, and no layer apart from its bias', () => {
    const shipped = codec.decode(generator8());
    expect(nodesOf(products(), 'MatMulInteger')).toEqual([]);
    // A layer of 16 bits is two products, and looks at what the first one left over.
    const layers = nodesOf(shipped, 'MatMulInteger').length - nodesOf(shipped, 'DequantizeLinear').length;
    expect(layers).toBeGreaterThan(24);
    expect(nodesOf(products(), FUSED).filter(({ input }) => input[6]).length).toBe(layers);
  });

  it('makes its head in parts, to the bit', async () => {
    const whole = products();
    const parts = withHeadParts(whole, codec)!;
    const more = nodesOf(parts, FUSED).length - nodesOf(whole, FUSED).length;
    expect(more).toBe(2 * (PARTS_OF_HEAD - 1));
    const [one, other] = await Promise.all([whole, parts].map((model) => saidBy(codec.encode(model))));
    expect(other).toEqual(one);
  });

  it('turns no rows into lines of frames where the runtime takes them as rows', async () => {
    const lines = codec.decode(generator8());
    const pictures = withBlockedConvolutions(lines, codec)!;
    expect(nodesOf(pictures, 'Conv').length).toBe(nodesOf(lines, 'Conv').length);
    const [one, other] = await Promise.all([lines, pictures].map((model) => saidBy(codec.encode(model))));
    expect(decibelsOfDifference(one!, other!)).toBeGreaterThan(40);
    expect(withBlockedConvolutions(pictures, codec)).toBeUndefined();
  });

  it('has the same bits with weights that no processor saturates', async () => {
    const signed = (await formRun(LIGHT_GENERATOR)) as Uint8Array;
    const unsigned = codec.encode(withUnsignedWeights(codec.decode(signed), codec));
    expect(unsigned.length).toBeGreaterThan(signed.length / 2);
    const types = codec.decode(unsigned).graph.initializer.map(({ dataType }) => dataType);
    expect(types).toContain(DATA_TYPE.uint8);
    const [one, other] = await Promise.all([signed, unsigned].map(saidBy));
    expect(other).toEqual(one);
  });
});

/** The reference's frames, in the product's windows and in one run. */
async function bothWays(bytes: Uint8Array) {
  const graph = graphOf(await openExact(bytes, cpuProvider(2).sessionOptions));
  const reference = lightReference();
  const { frames } = reference;
  const utterance = createFastVocoder(graph, dueWindows()).begin(reference, 0, frames);
  expect(utterance.openingTo).toBeLessThan(frames);
  const windowed = await samplesOf(utterance);
  const whole = await samplesOf(createFastVocoder(graph, oneWindow).begin(reference, 0, frames));
  expect(windowed.length).toBe(frames * 300);
  await graph.release();
  return { whole, windowed, reference };
}

async function samplesOf(utterance: Utterance): Promise<Float32Array> {
  const samples: number[] = [];
  while (!utterance.ended) samples.push(...(await utterance.next(UNSCHEDULED)).samples);
  return Float32Array.from(samples);
}
