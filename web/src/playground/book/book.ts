/** A book that the server makes in the background: ordered here, and fetched when it is there. */
import { computed, signal } from '@preact/signals';
import { sourceTypeOf } from '../../../../src/protocol/jobs/names.js';
import type { Job } from '../../../../src/protocol/jobs/schemas.js';
import { PLAYGROUND_JOBS_PATH } from '../../../../src/protocol/pages.js';
import { ApiError, call, request } from '../../shared/api.js';
import { keptHere } from '../../shared/kept-here.js';
import { credentials, model, voice } from '../state.js';

/** Pause between two looks at a job (ms). */
const LOOK_MS = 1_000;

const isText = (value: unknown): value is string => typeof value === 'string';

/** The file that was opened, until it is ordered. */
export const opened = signal<File | undefined>(undefined);
export const job = signal<Job | undefined>(undefined);
export const isSending = signal(false);
export const trouble = signal<string | undefined>(undefined);
/** The job outlives the page; '' for none. */
const jobId = keptHere('tts-book', '', isText);

export const isBook = ({ name, type }: File): boolean => /\.epub$/i.test(name) || type === 'application/epub+zip';

export const isMaking = computed(() => job.value?.status === 'queued' || job.value?.status === 'running');

let timer: ReturnType<typeof setTimeout> | undefined;

const pathOf = (id: string): string => `${PLAYGROUND_JOBS_PATH}/${id}`;

export function openBook(file: File): void {
  opened.value = file;
  trouble.value = undefined;
}

/** Orders the book with the voice and model that are chosen now. */
export async function order(): Promise<void> {
  const file = opened.value;
  if (file === undefined) return;
  isSending.value = true;
  trouble.value = undefined;
  try {
    const query = new URLSearchParams({ filename: file.name, model: model.value, voice: voice.value, format: 'm4b' });
    const response = await request(`${PLAYGROUND_JOBS_PATH}?${query}`, {
      file,
      type: sourceTypeOf(file.name),
      key: credentials(),
    });
    show((await response.json()) as Job);
    opened.value = undefined;
  } catch (error) {
    trouble.value = (error as Error).message;
  }
  isSending.value = false;
}

function show(next: Job): void {
  job.value = next;
  jobId.value = next.id;
  clearTimeout(timer);
  if (isMaking.value) timer = setTimeout(() => void look(), LOOK_MS);
}

/** Looks at the job that was ordered last, here or before the page was opened. */
export async function look(): Promise<void> {
  if (jobId.value === '') return;
  try {
    show(await call<Job>(pathOf(jobId.value), { key: credentials() }));
    trouble.value = undefined;
  } catch (error) {
    const isGone = error instanceof ApiError && error.status === 404;
    if (isGone) forget();
    // A server that restarts goes on with it.
    else if (error instanceof ApiError && error.status === 0) timer = setTimeout(() => void look(), LOOK_MS);
    if (!isGone) trouble.value = (error as Error).message;
  }
}

export async function cancel(): Promise<void> {
  try {
    await call(pathOf(jobId.value), { method: 'DELETE', key: credentials() });
    forget();
  } catch (error) {
    trouble.value = (error as Error).message;
  }
}

/** The panel is closed; the server keeps the result for its time. */
export function forget(): void {
  clearTimeout(timer);
  opened.value = undefined;
  job.value = undefined;
  jobId.value = '';
  trouble.value = undefined;
}

/** Saves the book: by a link, which browsers read to the disk, or with the key in a header. */
export async function save({ id, result }: Job): Promise<void> {
  const link = document.createElement('a');
  link.download = result!.filename;
  link.href = `${pathOf(id)}/result`;
  const key = credentials();
  if (key !== undefined) {
    isSending.value = true;
    try {
      link.href = URL.createObjectURL(await (await request(link.href, { key })).blob());
    } catch (error) {
      trouble.value = (error as Error).message;
    }
    isSending.value = false;
    if (trouble.value !== undefined) return;
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
  link.click();
}
