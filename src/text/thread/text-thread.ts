/**
 * Entry of the thread that reads text: cuts sessions step by step, and does the rest in steps
 * between theirs.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { TtsError } from '../../protocol/errors.js';
import { DEFAULT_LANGUAGE, type Language, type Segment } from '../../protocol/job.js';
import type { Readers } from '../reader.js';
import { LocalCutter, surelySounds } from '../segment/cutter.js';
import { LazyCutter } from '../segment/lazy-cutter.js';
import type {
  CutOptions,
  CutResult,
  TextPiece,
  TextReply,
  TextRequest,
  TextResults,
  TextThreadOptions,
  TextWork,
  Words,
} from './text-messages.js';

const { lexicon, lazy, words: keptAtStart } = workerData as TextThreadOptions;
const sessions = new Map<number, { readonly cutter: LazyCutter; readonly correct: Correct }>();
/** Where the files of languages lie, as far as it was told. */
const folders = new Map<Language, string>();

type Correct = (segment: Segment) => Segment;
const asItIs: Correct = (segment) => segment;

/** How segments of a text are corrected; words of the text's own go before those that are kept. */
async function correction(words: Words): Promise<Correct> {
  if (Object.keys(words).length === 0) return asItIs;
  const { corrected, parseWords } = await import('../corrections.js');
  const parsed = parseWords(words);
  return (segment) => corrected(segment, parsed);
}
let kept = keptAtStart;
let keptCorrection = correction(kept);
keptCorrection.catch(() => undefined);

const correctionOf = (own: Words | undefined): Promise<Correct> =>
  own === undefined ? keptCorrection : correction({ ...kept, ...own });

async function takeWords({ words, check }: { readonly words: Words; readonly check: boolean }): Promise<undefined> {
  const next = await correction(words);
  if (check) return;
  kept = words;
  keptCorrection = Promise.resolve(next);
}

async function open(): Promise<Readers> {
  const [{ createReaders, warmUp }, { loadLexicon }] = await Promise.all([
    import('../reader.js'),
    import('../lexicon.js'),
  ]);
  const readers = await createReaders({
    ...(lexicon !== '' && { lexicon: await loadLexicon(lexicon) }),
    files: async (language) => folders.get(language) ?? '',
  });
  if (!lazy) warmUp(await readers(DEFAULT_LANGUAGE));
  return readers;
}
let opening: Promise<Readers> | undefined;
function opened(): Promise<Readers> {
  opening ??= open();
  // Told to those who ask for it.
  opening.catch(() => undefined);
  return opening;
}
// Whether a lexicon is right has to be known before anything is said.
const soon = !lazy || lexicon !== '';
if (soon) void opened().catch(() => undefined);

async function cut(session: number, piece: TextPiece, options: CutOptions | undefined): Promise<CutResult> {
  if (options !== undefined) {
    // Markup is read by the front end as it comes; plain text needs no more than the ends of
    // sentences.
    if (options.ssml) await (await import('../languages.js')).loadFrontEnd(options.language);
    const load = async () => {
      const reader = await (await opened())(options.language);
      return new LocalCutter({ ...options, countTokens: (text) => reader.countTokens(text) });
    };
    sessions.set(session, {
      cutter: new LazyCutter(options, load),
      correct: await correctionOf(options.words),
    });
  }
  const text = sessions.get(session);
  if (text === undefined) throw new Error('the text thread does not know this session');
  const { cutter, correct } = text;
  const segments = (await cutter.take(piece)).map(correct);
  return { segments, pendingChars: cutter.pendingChars, ignoredMarkup: [...cutter.ignoredMarkup] };
}

async function answer(work: TextWork): Promise<TextResults[keyof TextResults]> {
  if (work.type === 'cut') return cut(work.session, work.piece, work.options);
  if (work.type === 'files') {
    folders.set(work.language, work.folder);
    return undefined;
  }
  if (work.type === 'open') {
    if (soon) await opened();
    return undefined;
  }
  if (work.type === 'words') return takeWords(work);
  if (work.type === 'soundless') return soundless(work.text, work.language);
  const { ssml, language, words } = work.options;
  const reader = await (await opened())(language);
  const correct = await correctionOf(words);
  return (await import('../explain.js')).explainText(work.text, reader, { ssml, language, correct });
}

async function soundless(text: string, language: Language): Promise<string | undefined> {
  if (surelySounds(text, language)) return undefined;
  const whole: Segment = {
    text,
    offset: 0,
    spans: [{ kind: 'text', text, start: 0, end: [...text].length }],
    pause: 'none',
  };
  // A kept word may give sound to signs that have none.
  if ((await keptCorrection)(whole) !== whole) return undefined;
  const reader = await (await opened())(language);
  return (await import('../soundless.js')).soundless(text, reader, language);
}

const send = (reply: TextReply): void => parentPort!.postMessage(reply);

parentPort!.on('message', (request: TextRequest) => {
  if (request.id === undefined) {
    sessions.delete(request.session);
    return;
  }
  const { id, work } = request;
  answer(work).then(
    (result) => send({ id, result }),
    (error: unknown) => {
      const { code, message } =
        error instanceof TtsError ? error : { code: 'internal_error' as const, message: String(error) };
      send({ id, error: { code, message } });
    },
  );
});
