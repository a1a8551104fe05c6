/** What a client wants spoken, in the server's own words: every door makes one of its requests. */
import type { KeyRecord } from '../../accounts/types.js';
import type { SpeechModel } from '../../protocol/contract.js';
import type { DeliveryStyle, SentencePlace, TextPart } from '../../protocol/delivery/delivery.js';
import type { Words } from '../../text/thread/text-messages.js';
import type { TraceSpan } from '../../trace.js';
import type { AnswerSize } from './answer-size.js';
import type { Turn } from './dialogue.js';
import type { SpokenInput } from './spoken-input.js';

export interface SpeechOrder {
  readonly model: SpeechModel;
  /** The id of a voice of the catalogue, or a mix of voices. */
  readonly voice: string;
  /** Absent where the text arrives over a socket, as somebody writes it. */
  readonly input?: SpokenInput;
  /** 0, the canonical reading, where it is left out. */
  readonly seed?: number;
  /** 1, the voice's own pace, where it is left out. */
  readonly speed?: number;
  /** The server's default where it is left out. */
  readonly style?: DeliveryStyle | undefined;
  /** The place of a sentence in its paragraph, where the text is that sentence alone. */
  readonly place?: SentencePlace | undefined;
  /** The text is one of several that are heard as one. */
  readonly part?: TextPart | undefined;
  readonly ssml?: boolean;
  /**
   * The language or locale that was asked for; the voice's own where it is left out or another's.
   */
  readonly language?: string | undefined;
  /** A dialogue: whose turns the input is, each with its voice; `voice` is that of the first. */
  readonly turns?: readonly Turn[] | undefined;
  /** How words are read for this order alone, before what the operator keeps. */
  readonly words?: Words | undefined;
  /** Size of a buffered response; absent where the audio is sent while it is made. */
  readonly whole?: AnswerSize | undefined;
  /**
   * Nobody listens while the audio is made, so that the first sentence is not cut to be heard
   * sooner. True for buffered responses where it is left out.
   */
  readonly unheard?: boolean;
}

/** An order with its request and its key, for which a permit is asked. */
export interface PermitRequest extends SpeechOrder {
  /** As metrics and the request log name it. */
  readonly route: string;
  readonly key: KeyRecord;
  readonly requestId: string;
  /** The span of the request or handshake. */
  readonly trace: TraceSpan;
}
