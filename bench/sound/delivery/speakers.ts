/**
 * Who speaks the text of the bench: a server, this tree's or another's, through OpenAI's door with
 * the times of words; or a folder that an earlier run wrote.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { joinPcm, pcmBytes, pcmSamples, wavHeader } from '../../../src/protocol/audio.js';
import { startServer } from '../../support/serve.js';
import type { Clip, TimedWord } from './clip.js';

export interface Wanted {
  readonly model: string;
  readonly voice: string;
  readonly text: string;
  readonly speed: number;
  /** Sent as `instructions`. */
  readonly style?: string | undefined;
}

export interface Speaker {
  speak(wanted: Wanted): Promise<Clip>;
  close(): Promise<void>;
}

interface Delta {
  readonly type: string;
  readonly audio?: string;
  readonly words?: readonly { readonly word: string; readonly start: number; readonly end: number }[];
}

/** A server at an address. */
function serverAt(baseUrl: string, key: string): Speaker {
  return {
    async speak({ model, voice, text, speed, style }) {
      const body = {
        model,
        voice,
        input: text,
        speed,
        response_format: 'pcm',
        stream_format: 'sse',
        timestamp_granularities: ['word'],
        ...(style !== undefined && { instructions: style }),
      };
      const response = await fetch(`${baseUrl}/openai/v1/audio/speech`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          prefer: 'whole-sentences',
        },
        body: JSON.stringify(body),
      });
      const answer = await response.text();
      if (!response.ok) throw new Error(`${baseUrl} answered ${response.status}: ${answer}`);
      const ignored = response.headers.get('x-ignored-fields');
      if (style !== undefined && ignored?.includes('instructions'))
        throw new Error(`${baseUrl} knows no style "${style}": it ignored the field "instructions".`);
      const deltas = answer
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => JSON.parse(line.slice('data: '.length)) as Delta);
      const words = deltas.flatMap(({ words: some = [] }) =>
        some.map(({ word, start, end }): TimedWord => ({ word, startMs: start * 1_000, endMs: end * 1_000 })),
      );
      const parts = deltas.map(({ audio = '' }) => pcmSamples(Buffer.from(audio, 'base64')));
      return { pcm: joinPcm(parts), words };
    },
    close: async () => undefined,
  };
}

/** A server of this tree, or of another checkout that is built. */
export async function ownServer(checkout?: string): Promise<Speaker> {
  const bin = checkout === undefined ? undefined : path.resolve(checkout, 'bin/tts.js');
  const server = await startServer({}, [], bin);
  return { ...serverAt(server.baseUrl, server.key), close: () => server.stop() };
}

const fileOf = (folder: string, { model, voice }: Pick<Wanted, 'model' | 'voice'>): string =>
  path.join(folder, `${model}-${voice}`);

/** Clips that `keepClip` wrote. */
function folderOf(folder: string): Speaker {
  return {
    async speak(wanted) {
      const file = fileOf(folder, wanted);
      const { text, words } = JSON.parse(await readFile(`${file}.json`, 'utf8')) as Kept;
      if (text !== wanted.text) throw new Error(`${file}.json holds another text.`);
      const bytes = await readFile(`${file}.wav`);
      return { pcm: pcmSamples(bytes.subarray(wavHeader().length)), words };
    },
    close: async () => undefined,
  };
}

interface Kept {
  readonly text: string;
  readonly words: readonly TimedWord[];
}

/** The clip as WAV and its words as JSON, for an ear and for a later run. */
export async function keepClip(folder: string, wanted: Wanted, { pcm, words }: Clip): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = fileOf(folder, wanted);
  await writeFile(`${file}.wav`, Buffer.concat([wavHeader(pcm.byteLength), pcmBytes(pcm)]));
  const kept: Kept = { text: wanted.text, words };
  await writeFile(`${file}.json`, `${JSON.stringify(kept)}\n`);
}

/** What `--against` names: an address, a checkout that is built, or a folder of clips. */
export async function speakerOf(against: string, key: string): Promise<Speaker> {
  if (/^https?:\/\//u.test(against)) return serverAt(against.replace(/\/$/u, ''), key);
  return existsSync(path.join(against, 'bin/tts.js')) ? ownServer(against) : folderOf(against);
}
