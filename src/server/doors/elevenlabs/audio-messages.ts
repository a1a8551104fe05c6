/** Speech as messages of the sockets: audio in a format, with the times of its characters. */
import { type AudioEncoder, createEncoder } from '../../../audio/encoder.js';
import type { AudioFormat } from '../../../audio/format.js';
import type { GatewayEvent } from '../../../gateway/types.js';
import { msToSamples } from '../../../protocol/audio.js';
import type { SpeechCodec } from '../../sockets/speech-context.js';
import { encodeInTurns } from '../../speech/encode-in-turns.js';
import { CharacterClock, socketAlignment } from './character-times.js';

const MAX_MESSAGE_SAMPLES = msToSamples(200);
/** Silent characters that wait to be sent with audio; beyond it they are sent without. */
const MAX_SILENT_CHARS = 1_000;

/** `named` stands at the end of every message. */
export async function createAudioMessages(format: AudioFormat, named: object): Promise<SpeechCodec> {
  return new AudioMessages(await createEncoder(format), named);
}

class AudioMessages implements SpeechCodec {
  readonly final: object;
  readonly #encoder: AudioEncoder;
  readonly #named: object;
  readonly #clock = new CharacterClock();
  /** The end of the last character that was sent. */
  #sentMs = 0;

  constructor(encoder: AudioEncoder, named: object) {
    this.#encoder = encoder;
    this.#named = named;
    this.final = { isFinal: true, ...named };
  }

  async *encode(event: GatewayEvent): AsyncGenerator<object> {
    this.#clock.add(event);
    if (event.type === 'segment-end' && this.#clock.waiting >= MAX_SILENT_CHARS) yield* this.#rest();
    if (event.type !== 'audio') return;
    for (let at = 0; at < event.pcm.length; at += MAX_MESSAGE_SAMPLES) {
      yield* this.#message(await encodeInTurns(this.#encoder, event.pcm.subarray(at, at + MAX_MESSAGE_SAMPLES)));
    }
  }

  async *finish(): AsyncGenerator<object> {
    yield* this.#message(await this.#encoder.end());
    yield* this.#rest();
  }

  close(): void {
    this.#encoder.close();
  }

  *#message(audio: Uint8Array): Generator<object> {
    if (audio.length === 0) return;
    const base64 = Buffer.from(audio.buffer, audio.byteOffset, audio.length).toString('base64');
    yield { audio: base64, isFinal: false, ...this.#alignments(), ...this.#named };
  }

  /** Characters behind the last audio, which no message has carried. */
  *#rest(): Generator<object> {
    const alignments = this.#alignments();
    if (alignments.alignment !== null) yield { audio: '', isFinal: false, ...alignments, ...this.#named };
  }

  /**
   * The characters of a segment come with its first audio. Pipecat adds up how long each
   * `alignment` lasts, so its times begin where the one before ended; LiveKit reads those of
   * `normalizedAlignment` from the beginning of the context.
   */
  #alignments() {
    const times = this.#clock.take();
    if (times === undefined) return { alignment: null, normalizedAlignment: null };
    const alignment = socketAlignment(times, this.#sentMs);
    this.#sentMs = times.endMs.at(-1)!;
    return { alignment, normalizedAlignment: socketAlignment(times, 0) };
  }
}
