/** The graphs that come with the package, of which one is weights over another. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadModelManifest, PACKAGE_VOICES_DIR } from '../../src/models/manifest.js';
import { groupOf } from '../../src/models/model-files.js';
import { createCodec } from '../../src/models/onnx/schema.js';
import { shippedBytes, shippedGraph } from '../../src/models/onnx/shipped.js';

const codec = createCodec();
const { generator, generatorOthers } = loadModelManifest('base-tts-fast');
const [whole, weights] = [generator!, generatorOthers!].map((file) => path.join(PACKAGE_VOICES_DIR, file.path)) as [
  string,
  string,
];

describe('a file of weights alone', () => {
  it('is the graph beside it with these in place of its own', async () => {
    const [english, others] = [await shippedGraph(whole, codec), await shippedGraph(weights, codec)];
    expect(others.graph.node).toEqual(english.graph.node);
    expect(others.graph.initializer.map(({ name }) => name)).toEqual(english.graph.initializer.map(({ name }) => name));
    const different = others.graph.initializer.filter(
      ({ rawData }, at) => Buffer.compare(rawData, english.graph.initializer[at]!.rawData) !== 0,
    );
    const sizes = different.map(({ rawData }) => rawData.length);
    // The products of two blocks, 512 by 1536 there and back, and little besides.
    expect(sizes.filter((size) => size === 512 * 1536)).toHaveLength(4);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(4.2 * 512 * 1536);
  });

  it('costs no more than a tenth of what it stands for', () => {
    expect(generatorOthers!.bytes).toBeLessThan(0.12 * generator!.bytes);
  });

  it('comes out whole, as bytes', async () => {
    const { graph } = codec.decode(await shippedBytes(weights));
    expect(graph.node.length).toBe((await shippedGraph(whole, codec)).graph.node.length);
  });
});

it.each([
  ['english', [{ style: 'bm_george', weight: 1 }]],
  ['others', [{ style: 'zf_xiaobei', weight: 1 }]],
  [
    'others',
    [
      { style: 'af_heart', weight: 0.4 },
      { style: 'ef_dora', weight: 0.6 },
    ],
  ],
  [
    'english',
    [
      { style: 'af_heart', weight: 0.5 },
      { style: 'ef_dora', weight: 0.5 },
    ],
  ],
] as const)('takes the weights of %s voices where most of a mix is so', (group, mix) => {
  expect(groupOf(mix)).toBe(group);
});
