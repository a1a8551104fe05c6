/** Entry of the thread that reads text: cuts sessions step by step, and does the rest in steps between theirs. */
import { parentPort, workerData } from 'node:worker_threads';
import { TtsError } from '../protocol/errors.js';
import { LocalCutter } from './cutter.js';
import { explainText } from './explain.js';
import { loadLexicon } from './lexicon.js';
import { createReaders, type Readers } from './reader.js';
import { soundless } from './soundless.js';
import type {
  CutOptions,
  CutResult,
  TextPiece,
  TextReply,
  TextRequest,
  TextResults,
  TextWork,
} from './text-messages.js';

const sessions = new Map<number, Promise<LocalCutter>>();

async function open(): Promise<Readers> {
  const { lexicon } = workerData as { readonly lexicon: string };
  return createReaders(lexicon === '' ? {} : { lexicon: await loadLexicon(lexicon) });
}
const opened = open();
// Told to whoever asks for it.
opened.catch(() => undefined);

async function cutter(options: CutOptions): Promise<LocalCutter> {
  const reader = await (await opened)(options.language);
  return new LocalCutter({ ...options, countTokens: (text) => reader.countTokens(text) });
}

async function cut(session: number, piece: TextPiece, options: CutOptions | undefined): Promise<CutResult> {
  if (options !== undefined) sessions.set(session, cutter(options));
  const text = await sessions.get(session);
  if (text === undefined) throw new Error('the text thread does not know this session');
  const segments = piece.kind === 'push' ? text.push(piece.text) : text[piece.kind]();
  return { segments, pendingChars: text.pendingChars, ignoredMarkup: [...text.ignoredMarkup] };
}

async function answer(work: TextWork): Promise<TextResults[keyof TextResults]> {
  if (work.type === 'cut') return cut(work.session, work.piece, work.options);
  const readers = await opened;
  if (work.type === 'open') return undefined;
  const reader = await readers(work.language);
  if (work.type === 'soundless') return soundless(work.text, reader, work.language);
  return explainText(work.text, reader, { ssml: work.ssml });
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
