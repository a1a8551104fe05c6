/**
 * The playground's sessions: those of the contract, with a mix of voices for a voice, and with
 * words that are read another way in this session alone.
 */
import { TtsError } from '../../../protocol/errors.js';
import { MAX_SESSION_WORDS_CHARS, PLAYGROUND_STREAM_PATH } from '../../../protocol/pages.js';
import type { Words } from '../../../text/thread/text-messages.js';
import type { ServerParts, SpeechSocket } from '../../door.js';

export function playgroundSockets(parts: ServerParts): readonly SpeechSocket[] {
  const contract = parts.doors.find(({ prefix }) => prefix === '/v1');
  const { catalogue, permits } = parts;
  /** The contract's socket, whose sessions may be given mixes and words. */
  const socketFor = (words: Words | undefined): SpeechSocket | undefined =>
    contract?.sockets?.({
      ...parts,
      catalogue: { ...catalogue, get: catalogue.speaker },
      permits: Object.create(permits, {
        open: { value: (request: Parameters<typeof permits.open>[0]) => permits.open({ ...request, words }) },
      }) as typeof permits,
    })[0];
  const own = socketFor(undefined);
  if (own === undefined) return [];
  const { schema: _, ...plain } = own;
  return [
    {
      ...plain,
      path: PLAYGROUND_STREAM_PATH,
      accept: (handshake) => socketFor(wordsIn(handshake.query.get('words')))!.accept(handshake),
    },
  ];
}

function wordsIn(given: string | null): Words | undefined {
  if (given === null) return undefined;
  const fail = (): never => {
    const message = `The parameter "words" must be a JSON object of words and what they are said as, of at most ${MAX_SESSION_WORDS_CHARS} characters.`;
    throw new TtsError('invalid_value', message, { param: 'words' });
  };
  if (given.length > MAX_SESSION_WORDS_CHARS) return fail();
  let words: unknown;
  try {
    words = JSON.parse(given);
  } catch {
    return fail();
  }
  if (typeof words !== 'object' || words === null || Array.isArray(words)) return fail();
  return Object.values(words).every((said) => typeof said === 'string') ? (words as Words) : fail();
}
