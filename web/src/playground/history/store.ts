/** What was said here, in this browser's own database: texts, and sound up to a size. */
import { samplesToBytes } from '../../../../src/protocol/audio.js';

export interface Kept {
  readonly id: number;
  readonly atMs: number;
  readonly text: string;
  readonly voice: string;
  readonly voiceName: string;
  readonly model: string;
  readonly samples: number;
  readonly isWhole: boolean;
  /** Whether its sound is kept too. */
  readonly hasSound: boolean;
}

/** The sound of an entry, and when each character is heard. */
export interface KeptSound {
  readonly pcm: Blob;
  readonly alignments: readonly {
    readonly chars: string;
    /** Start times and durations (ms), for each character. */
    readonly startsMs: readonly number[];
    readonly durationsMs: readonly number[];
    readonly offset: number;
  }[];
}

/** Most entries, and most bytes of sound; the oldest go first. */
export const MAX_ENTRIES = 50;
export const MAX_SOUND_BYTES = 200_000_000;

export const soundBytes = (entries: readonly Pick<Kept, 'hasSound' | 'samples'>[]): number =>
  entries.reduce((sum, { hasSound, samples }) => sum + (hasSound ? samplesToBytes(samples) : 0), 0);

const ENTRIES = 'entries';
const SOUNDS = 'sounds';

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('tts-history', 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(ENTRIES, { keyPath: 'id', autoIncrement: true });
      request.result.createObjectStore(SOUNDS);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

interface Tables {
  readonly entries: IDBObjectStore;
  readonly sounds: IDBObjectStore;
}

/** Runs `work` in one transaction; its requests must follow one another without other waits. */
async function within<T>(mode: IDBTransactionMode, work: (tables: Tables) => Promise<T>): Promise<T> {
  const database = await open();
  const transaction = database.transaction([ENTRIES, SOUNDS], mode);
  const ended = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
  const result = await work({ entries: transaction.objectStore(ENTRIES), sounds: transaction.objectStore(SOUNDS) });
  await ended;
  return result;
}

/** The newest first. */
export const allKept = (): Promise<Kept[]> =>
  within('readonly', async ({ entries }) => ((await done(entries.getAll())) as Kept[]).reverse());

export const soundOf = (id: number): Promise<KeptSound | undefined> =>
  within('readonly', ({ sounds }) => done(sounds.get(id) as IDBRequest<KeptSound | undefined>));

/** Adds an entry in place of one that says the same, and drops what is too much. */
export function keep(entry: Omit<Kept, 'id' | 'hasSound'>, sound: KeptSound | undefined): Promise<void> {
  return within('readwrite', async ({ entries, sounds }) => {
    const last = ((await done(entries.getAll())) as Kept[]).at(-1);
    if (last && last.text === entry.text && last.voice === entry.voice && last.model === entry.model) {
      entries.delete(last.id);
      sounds.delete(last.id);
    }
    const id = await done(entries.add({ ...entry, hasSound: sound !== undefined }));
    if (sound !== undefined) sounds.put(sound, id);
    await dropOldest({ entries, sounds });
  });
}

async function dropOldest({ entries, sounds }: Tables): Promise<void> {
  const all = (await done(entries.getAll())) as Kept[];
  for (const { id } of all.splice(0, Math.max(0, all.length - MAX_ENTRIES))) {
    entries.delete(id);
    sounds.delete(id);
  }
  let bytes = soundBytes(all);
  for (const entry of all) {
    if (bytes <= MAX_SOUND_BYTES) return;
    if (!entry.hasSound) continue;
    bytes -= soundBytes([entry]);
    entries.put({ ...entry, hasSound: false });
    sounds.delete(entry.id);
  }
}

export const drop = (id: number): Promise<void> =>
  within('readwrite', async ({ entries, sounds }) => {
    entries.delete(id);
    sounds.delete(id);
  });

export const dropAll = (): Promise<void> =>
  within('readwrite', async ({ entries, sounds }) => {
    entries.clear();
    sounds.clear();
  });
