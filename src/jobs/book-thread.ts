/** Reads and makes books on threads of their own: one thread for each. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { TtsError } from '../protocol/errors.js';
import type { SpokenSentence } from './job-speaker.js';
import type { BookFacts } from './order.js';
import type { BookTask, SpokenMessage, ThreadMessage } from './thread-messages.js';

/** The compiled entry of the thread (`imports` in package.json). */
const ENTRY = createRequire(import.meta.url).resolve('#dist/bundle/job-thread.js');

/** A book of millions of characters is held as its sentences. */
const MEMORY_MB = 1_024;
/** Three million characters take some seconds. */
const MAX_READING_MS = 120_000;

/** Listeners for what a thread says before its last message. */
interface Hooks {
  speak(sentence: Extract<ThreadMessage, { type: 'speak' }>): Promise<SpokenSentence>;
  progress(progress: Extract<ThreadMessage, { type: 'progress' }>['progress']): void;
}

export type MadeBook = Pick<Extract<ThreadMessage, { type: 'made' }>, 'characters' | 'audioMs'>;

/** The thread is gone with whatever it did: nothing it had to keep is lost by that. */
export class ThreadLost extends Error {}

async function readBookAside(task: Extract<BookTask, { type: 'read' }>, signal: AbortSignal): Promise<BookFacts> {
  const nothing: Hooks = { speak: () => Promise.reject(new Error('nothing is spoken yet')), progress: () => undefined };
  return (await run<'read'>(task, nothing, signal)).facts;
}

/** Throws `invalid_value` where a book takes longer to read than any that a person wrote. */
export async function readInTime(task: Parameters<typeof readBookAside>[0], signal: AbortSignal): Promise<BookFacts> {
  const late = AbortSignal.timeout(MAX_READING_MS);
  try {
    return await readBookAside(task, AbortSignal.any([signal, late]));
  } catch (cause) {
    if (!late.aborted || signal.aborted) throw cause;
    const message = `The book takes longer than ${MAX_READING_MS / 1000} s to read.`;
    throw new TtsError('invalid_value', message, { param: 'input', cause });
  }
}

export const makeBookAside = (
  task: Extract<BookTask, { type: 'make' }>,
  hooks: Hooks,
  signal: AbortSignal,
): Promise<MadeBook> => run<'made'>(task, hooks, signal);

type Last<T extends ThreadMessage['type']> = Extract<ThreadMessage, { type: T }>;

function run<T extends 'read' | 'made'>(task: BookTask, hooks: Hooks, signal: AbortSignal): Promise<Last<T>> {
  signal.throwIfAborted();
  const worker = new Worker(ENTRY, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
  const result = new Promise<Last<T>>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    worker.on('error', (cause) => reject(new ThreadLost('the thread of a book failed', { cause })));
    worker.on('exit', () => reject(new ThreadLost('the thread of a book ended without a result')));
    worker.on('message', (message: ThreadMessage) => {
      if (message.type === 'speak') {
        const answer = (spoken: SpokenSentence) =>
          worker.postMessage({ number: message.number, ...spoken } satisfies SpokenMessage, [
            spoken.pcm.buffer as ArrayBuffer,
          ]);
        hooks.speak(message).then(answer).catch(reject);
      } else if (message.type === 'progress') hooks.progress(message.progress);
      else if (message.type === 'failed') reject(failure(message, task.file));
      else resolve(message as Last<T>);
    });
  });
  return result.finally(() => worker.terminate());
}

/** In words for the client, who knows no path of this machine. */
function failure({ code, message }: Last<'failed'>, file: string): Error {
  const told = message.replaceAll(file, path.basename(file)).replace('--chapters ', 'chapters ');
  if (code === 'book_unreadable' || code === 'usage') return new TtsError('invalid_value', told, { param: 'input' });
  if (code === undefined) return new Error(message);
  return new TtsError(code, told, { param: 'input' });
}
