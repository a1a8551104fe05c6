/**
 * The Web Speech API's synthesis (https://webaudio.github.io/web-speech-api/#tts-section) with the
 * voices of a server: one utterance after the other, with the same events.
 */
import type { Speech, SpeechClient, SpeechError, SpeechSynthesisShim, Voice } from './types.js';

/** A voice as `getVoices` lists it. */
interface ShimVoice {
  readonly voiceURI: string;
  readonly name: string;
  readonly lang: string;
  readonly localService: boolean;
  readonly default: boolean;
}

const HANDLED = ['start', 'end', 'error', 'pause', 'resume', 'mark', 'boundary'] as const;
type UtteranceEvent = (typeof HANDLED)[number];
type Handler = ((event: Event) => void) | null;

/** Calls the handlers of the form `onname` besides those that were added. */
class Handled extends EventTarget {
  override dispatchEvent(event: Event): boolean {
    const handler = (this as unknown as Record<string, Handler | undefined>)[`on${event.type}`];
    handler?.call(this, event);
    return super.dispatchEvent(event);
  }
}

class Utterance extends Handled {
  lang = '';
  voice: ShimVoice | null = null;
  volume = 1;
  rate = 1;
  /** Without effect: the models have a pitch of their own. */
  pitch = 1;
  onstart: Handler = null;
  onend: Handler = null;
  onerror: Handler = null;
  onpause: Handler = null;
  onresume: Handler = null;
  onmark: Handler = null;
  onboundary: Handler = null;

  constructor(public text = '') {
    super();
  }
}

/** Codes of the Web Speech API for those of the server. */
function errorName({ code, status }: SpeechError): string {
  if (code === 'unreachable' || code === 'connection_lost') return 'network';
  if (code === 'voice_not_found') return 'voice-unavailable';
  if (code === 'invalid_value' || code === 'empty_input') return 'invalid-argument';
  if (code === 'text_too_long') return 'text-too-long';
  return [401, 402, 403].includes(status) ? 'not-allowed' : 'synthesis-failed';
}

class Synthesis extends Handled {
  onvoiceschanged: Handler = null;
  readonly #client: SpeechClient;
  readonly #model: string | undefined;
  readonly #queue: Utterance[] = [];
  #voices: readonly ShimVoice[] = [];
  #now: { readonly utterance: Utterance; readonly speech: Speech } | undefined;
  #paused = false;

  constructor(client: SpeechClient, model: string | undefined) {
    super();
    this.#client = client;
    this.#model = model;
    void this.#load();
  }

  get speaking(): boolean {
    return this.#now !== undefined;
  }

  get pending(): boolean {
    return this.#queue.length > 0;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Empty until they came: `voiceschanged` tells when. */
  getVoices(): ShimVoice[] {
    return [...this.#voices];
  }

  speak(utterance: Utterance): void {
    this.#queue.push(utterance);
    this.#next();
  }

  /**
   * What is spoken ends as `interrupted`, what waits as `canceled`. Their events come once the
   * caller has gone on, as those of browsers do.
   */
  cancel(): void {
    const waiting = this.#queue.splice(0);
    this.#now?.speech.cancel();
    queueMicrotask(() => {
      for (const utterance of waiting) tell(utterance, 'error', { error: 'canceled' });
    });
  }

  pause(): void {
    this.#paused = true;
    this.#now?.speech.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#now?.speech.resume();
    this.#next();
  }

  async #load(): Promise<void> {
    const voices = await this.#client.voices(this.#model === undefined ? {} : { model: this.#model }).catch(() => []);
    this.#voices = voices.map(({ id, display_name: name, language, locale }: Voice, index) => ({
      voiceURI: id,
      name,
      lang: locale ?? language,
      localService: false,
      default: index === 0,
    }));
    this.dispatchEvent(new Event('voiceschanged'));
  }

  #next(): void {
    if (this.#now !== undefined || this.#paused) return;
    const utterance = this.#queue.shift();
    if (utterance === undefined) return;
    const voice = this.#voiceFor(utterance);
    const speech = this.#client.speak(utterance.text, {
      ...(voice !== undefined && { voice }),
      ...(this.#model !== undefined && { model: this.#model }),
      rate: utterance.rate,
      volume: utterance.volume,
    });
    this.#now = { utterance, speech };
    this.#follow(utterance, speech);
  }

  #follow(utterance: Utterance, speech: Speech): void {
    const startedMs = performance.now();
    const say = (type: UtteranceEvent, more: object = {}) =>
      tell(utterance, type, { elapsedTime: (performance.now() - startedMs) / 1000, ...more });
    speech.on('start', () => say('start'));
    speech.on('pause', () => say('pause'));
    speech.on('resume', () => say('resume'));
    speech.on('word', ({ charIndex, charLength }) => say('boundary', { name: 'word', charIndex, charLength }));
    speech.on('end', () => {
      this.#now = undefined;
      say('end', { charIndex: utterance.text.length });
      this.#next();
    });
    speech.on('error', (error) => {
      this.#now = undefined;
      const name = error.code === 'cancelled' ? 'interrupted' : errorName(error);
      queueMicrotask(() => {
        say('error', { error: name, message: error.message });
        this.#next();
      });
    });
  }

  /** The voice that was set, else the first that speaks the language of the utterance. */
  #voiceFor({ voice, lang }: Utterance): string | undefined {
    if (voice !== null && voice !== undefined) return voice.voiceURI;
    const code = lang.toLowerCase().split('-')[0];
    return lang === ''
      ? undefined
      : this.#voices.find(({ lang: own }) => own.toLowerCase().startsWith(code!))?.voiceURI;
  }
}

/** An event with the fields of `SpeechSynthesisEvent` and `SpeechSynthesisErrorEvent`. */
function tell(utterance: Utterance, type: UtteranceEvent, fields: object): void {
  const event = new Event(type);
  utterance.dispatchEvent(Object.assign(event, { utterance, charIndex: 0, charLength: 0, name: '', ...fields }));
}

export function createShim(client: SpeechClient, { model }: { readonly model?: string } = {}): SpeechSynthesisShim {
  const shim = { speechSynthesis: new Synthesis(client, model), SpeechSynthesisUtterance: Utterance };
  return {
    ...shim,
    install() {
      const names = ['speechSynthesis', 'SpeechSynthesisUtterance'] as const;
      const before = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
      for (const name of names) {
        Object.defineProperty(globalThis, name, { value: shim[name], configurable: true, writable: true });
      }
      return () => {
        for (const [i, name] of names.entries()) {
          if (before[i]) Object.defineProperty(globalThis, name, before[i]);
          else Reflect.deleteProperty(globalThis, name);
        }
      };
    },
  };
}
