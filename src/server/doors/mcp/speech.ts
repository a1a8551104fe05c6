/** Speech for a tool: an order with a permit, as every door has, heard by this server itself. */
import { samplesToMs } from '../../../protocol/audio.js';
import type { SpeechModel } from '../../../protocol/contract.js';
import { TtsError } from '../../../protocol/errors.js';
import type { Language } from '../../../protocol/job.js';
import { NO_SPAN } from '../../../trace.js';
import type { ServerParts } from '../../door.js';
import { newRequestId } from '../../request-id.js';
import type { PermitRequest } from '../../speech/speech-order.js';
import type { SpokenInput } from '../../speech/spoken-input.js';

/** Who speaks, and the locale that it reads in. */
export interface Speaker {
  readonly model: SpeechModel;
  readonly voice: string;
  readonly language: Language;
}

interface ToolOrder extends Omit<PermitRequest, 'requestId' | 'trace' | 'input'> {
  readonly input: SpokenInput;
}

type ToolSpeech =
  | { readonly type: 'audio'; readonly pcm: Int16Array }
  /** The number of characters that were spoken since the event before. */
  | { readonly type: 'spoken'; readonly chars: number };

/** Nothing is debited unless all of it was taken. */
export async function* speech(
  { permits }: Pick<ServerParts, 'permits'>,
  order: ToolOrder,
  signal: AbortSignal,
): AsyncGenerator<ToolSpeech, void, undefined> {
  signal.throwIfAborted();
  const startMs = performance.now();
  const permit = await permits.open({ ...order, requestId: newRequestId(), trace: NO_SPAN });
  const { admission, text } = permit;
  let samples = 0;
  let deliveredChars = 0;
  let failure: unknown;
  let isWhole = false;
  try {
    text.text(order.input.text);
    text.end();
    for await (const event of text.speak(AbortSignal.any([signal, permit.revoked]))) {
      if (event.type === 'segment-end') {
        const chars = [...event.segment.text].length;
        deliveredChars += chars;
        yield { type: 'spoken', chars };
      }
      if (event.type !== 'audio') continue;
      if (samples === 0) permit.firstAudio(performance.now() - startMs);
      samples += event.pcm.length;
      if (!admission.held) await admission.confirm();
      yield { type: 'audio', pcm: event.pcm };
    }
    if (!admission.held) await admission.confirm();
    isWhole = true;
  } catch (error) {
    if (!signal.aborted) failure = error;
    throw error;
  } finally {
    const isRefused = samples === 0 && failure instanceof TtsError && failure.row.status === 503;
    await permit.end({
      outcome: isWhole ? 'completed' : isRefused ? 'refused' : failure === undefined ? 'cancelled' : 'failed',
      audioMs: Math.round(samplesToMs(samples)),
      deliveredChars,
      byClient: failure === undefined,
      error: failure,
    });
  }
}
