/** What a book holds and what making it takes, before it is made. */
import type { AudioFormat } from '../../audio/format.js';
import type { Book, BookChapter } from '../../book/book.js';
import type { Config } from '../../config.js';
import type { SpeechModel } from '../../protocol/contract.js';
import type { BaseModel } from '../../protocol/job.js';

/** Characters that are read in a second, on average. */
const CHARS_PER_S = 15;

export interface OverviewOptions {
  readonly book: Book;
  readonly indices: readonly number[];
  readonly format: AudioFormat;
  readonly speed: number;
  /** Undefined where nothing is known of the machine that speaks. */
  readonly realTimeFactor: number | undefined;
}

export interface Overview {
  readonly title: string;
  readonly author: string | null;
  readonly language: string | null;
  readonly chapters: readonly { number: number; title: string; chars: number; estimatedMs: number }[];
  readonly estimatedMs: number;
  readonly estimatedBytes: number;
  /** Time until the book is made. */
  readonly makingMs: number | null;
}

export async function overviewOf({ book, indices, format, speed, realTimeFactor }: OverviewOptions): Promise<Overview> {
  const [{ charsOf }, { bytesPerSecond: bytesOf }] = await Promise.all([
    import('../../book/book.js'),
    import('../../audio/format.js'),
  ]);
  const lengthMs = (chapter: BookChapter) => Math.round((1000 * charsOf(chapter)) / CHARS_PER_S / speed);
  const chapters = indices.map((index) => {
    const chapter = book.chapters[index]!;
    return { number: index + 1, title: chapter.title, chars: charsOf(chapter), estimatedMs: lengthMs(chapter) };
  });
  const estimatedMs = chapters.reduce((sum, chapter) => sum + chapter.estimatedMs, 0);
  return {
    title: book.title,
    author: book.author ?? null,
    language: book.language ?? null,
    chapters,
    estimatedMs,
    estimatedBytes: Math.round((estimatedMs / 1000) * bytesOf(format)),
    makingMs: realTimeFactor === undefined ? null : Math.round(estimatedMs * realTimeFactor),
  };
}

/** Work of `base-tts-fast` as a share of that of `base-tts` (docs/benchmarks.md). */
const FAST_SHARE = 0.15;

/** As this machine was measured; another machine's speed is not known. */
export async function measuredFactor(config: Config, model: SpeechModel | undefined): Promise<number | undefined> {
  if (config.server || config.engine === 'sine' || model === undefined) return undefined;
  const { readMeasurement } = await import('../../engine/measure/remembered.js');
  const measured = await readMeasurement(config.modelDir, config);
  if (measured === undefined) return undefined;
  const base = model.replace(/:free$/, '') as BaseModel;
  return base === 'base-tts' ? measured.realTimeFactor : measured.realTimeFactor * FAST_SHARE;
}

/** For people: a line for the book, a line for each chapter, and what it takes. */
export async function overviewText(overview: Overview): Promise<string> {
  const { clockText, durationText, headColumns, sizeText } = await import('../../client/ui/format.js');
  const { title, author, language, chapters, estimatedMs, estimatedBytes, makingMs } = overview;
  const width = String(chapters.at(-1)?.number ?? 1).length;
  const clock = (ms: number) => (ms < 3_600_000 ? clockText(ms).replace(/\.\d$/, '') : clockText(ms));
  const lines = chapters.map(
    (chapter) =>
      `${String(chapter.number).padStart(width + 2)}  ${clock(chapter.estimatedMs).padStart(7)}  ${headColumns(chapter.title, 60)}`,
  );
  const takes = makingMs === null ? '' : `, made in about ${durationText(makingMs)}`;
  const about = [title, ...(author ? [`by ${author}`] : []), ...(language ? [`(${language})`] : [])].join(' ');
  const count = `${chapters.length} chapter${chapters.length === 1 ? '' : 's'}`;
  return `${about}\n${lines.join('\n')}\n${count}, about ${clock(estimatedMs)}, ${sizeText(estimatedBytes)}${takes}\n`;
}
