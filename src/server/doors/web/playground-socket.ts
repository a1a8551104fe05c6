/**
 * The playground's sessions: those of the contract, with a mix of voices for a voice, with words
 * that are read another way in this session alone, and with a speed and a style.
 */

import { DELIVERY_STYLES, type DeliveryStyle } from '../../../protocol/delivery/delivery.js';
import { TtsError } from '../../../protocol/errors.js';
import { MAX_SPEED, MIN_SPEED } from '../../../protocol/job.js';
import { MAX_SESSION_WORDS_CHARS, PLAYGROUND_STREAM_PATH } from '../../../protocol/pages.js';
import type { Words } from '../../../text/thread/text-messages.js';
import type { ServerParts, SpeechSocket } from '../../door.js';

export function playgroundSockets(parts: ServerParts): readonly SpeechSocket[] {
  const contract = parts.doors.find(({ prefix }) => prefix === '/v1');
  const { catalogue, permits } = parts;
  /** The contract's socket, whose sessions may be given mixes, words and a manner. */
  const socketFor = (own: OwnFields): SpeechSocket | undefined =>
    contract?.sockets?.({
      ...parts,
      catalogue: { ...catalogue, get: catalogue.speaker },
      permits: Object.create(permits, {
        open: { value: (request: Parameters<typeof permits.open>[0]) => permits.open({ ...request, ...own }) },
      }) as typeof permits,
    })[0];
  const socket = socketFor({});
  if (socket === undefined) return [];
  const { schema: _, ...plain } = socket;
  return [
    {
      ...plain,
      path: PLAYGROUND_STREAM_PATH,
      accept: (handshake) => socketFor(ownFields(handshake.query))!.accept(handshake),
    },
  ];
}

/** What a session of the playground may ask for beside the contract's parameters. */
interface OwnFields {
  readonly words?: Words | undefined;
  readonly speed?: number;
  readonly style?: DeliveryStyle;
}

const ownFields = (query: URLSearchParams): OwnFields => ({
  words: wordsIn(query.get('words')),
  ...speedIn(query.get('speed')),
  ...styleIn(query.get('style')),
});

function speedIn(given: string | null): Pick<OwnFields, 'speed'> {
  if (given === null) return {};
  const speed = given.trim() === '' ? Number.NaN : Number(given);
  if (speed >= MIN_SPEED && speed <= MAX_SPEED) return { speed };
  const message = `The parameter "speed" must be a number from ${MIN_SPEED} to ${MAX_SPEED}.`;
  throw new TtsError('invalid_value', message, { param: 'speed' });
}

function styleIn(given: string | null): Pick<OwnFields, 'style'> {
  if (given === null) return {};
  const style = DELIVERY_STYLES.find((each) => each === given);
  if (style !== undefined) return { style };
  const message = `The parameter "style" must be one of ${DELIVERY_STYLES.join(', ')}.`;
  throw new TtsError('invalid_value', message, { param: 'style' });
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
