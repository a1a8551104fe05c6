/**
 * An output module of speech-dispatcher: commands on lines of stdin, replies and events on stdout
 * (brailcom/speechd, src/modules/module_process.c).
 */
import { setMaxListeners } from 'node:events';
import { audioBlock } from './audio-block.js';
import { OWN_MARK } from './message.js';
import { Parameters, type Sound } from './parameters.js';
import { type MessagePart, type MessageType, partsOfMessage } from './parts.js';
import { soundIcon } from './sound-icons.js';
import type { Heard, Speech } from './speech.js';
import type { SpokenBy, VoiceList } from './voice-list.js';

export interface ModuleOutput {
  /** False where the reader has enough for now. */
  write(bytes: Buffer | string): boolean;
  /** Resolves when it takes more. */
  drained(signal: AbortSignal): Promise<void>;
}

export interface ModuleParts {
  readonly speech: Speech;
  readonly voices: VoiceList;
  readonly soundIconsDir: string;
}

export interface ModuleOptions {
  readonly output: ModuleOutput;
  /** Called by INIT. Where it rejects, the module cannot be used. */
  readonly open: () => Promise<ModuleParts>;
  /** For the log of speech-dispatcher. */
  readonly onError: (error: unknown) => void;
  /** The server wants no more, or INIT failed. */
  readonly onEnd: (code: number) => void;
}

/** Samples of one block: small enough to stop soon, as in the modules written in C. */
const BLOCK_SAMPLES = 5_000;
/** Silence after which what is kept ready is made, so that it is in nobody's way (ms). */
const IDLE_MS = 700;

/** A message being spoken. */
interface Speaking {
  readonly abort: AbortController;
  isPausing: boolean;
}

/** Lines up to a dot belong to a command: what it does with each and at the end. */
interface Block {
  readonly lines: string[];
  readonly end: (lines: readonly string[]) => void;
}

export class SpeechModule {
  readonly #options: ModuleOptions;
  readonly #parameters = new Parameters();
  #parts: ModuleParts | undefined;
  #block: Block | undefined;
  #speaking: Speaking | undefined;
  /** Voices whose words are kept already. */
  readonly #prepared = new Set<string>();
  #preparing: AbortController | undefined;
  #idle: NodeJS.Timeout | undefined;

  readonly #commands = new Map<string, (words: readonly string[]) => void>([
    ['INIT', () => void this.#init()],
    ['SPEAK', () => this.#receiveMessage('SPEAK')],
    ['CHAR', () => this.#receiveMessage('CHAR')],
    ['KEY', () => this.#receiveMessage('KEY')],
    ['SOUND_ICON', () => this.#receiveMessage('SOUND_ICON')],
    ['STOP', () => this.#stop()],
    ['PAUSE', () => this.#pause()],
    ['LIST', (words) => this.#listVoices(words[1], words[2])],
    ['SET', () => this.#receiveSettings()],
    ['AUDIO', () => this.#receiveAudio()],
    ['LOGLEVEL', () => this.#receiveLogLevel()],
    ['DEBUG', (words) => this.#reply(`200 OK DEBUGGING ${words[0] ?? ''}`)],
    ['QUIT', () => this.#quit()],
  ]);

  constructor(options: ModuleOptions) {
    this.#options = options;
  }

  /** Takes a line without its end. */
  receive(line: string): void {
    const block = this.#block;
    if (block === undefined) this.#command(line);
    else if (line !== '.') block.lines.push(line.startsWith('.') ? line.slice(1) : line);
    else {
      this.#block = undefined;
      block.end(block.lines);
    }
  }

  /** Nothing more is said or made. */
  close(): void {
    clearTimeout(this.#idle);
    this.#preparing?.abort();
    this.#speaking?.abort.abort();
    this.#speaking = undefined;
  }

  #reply(line: string): void {
    this.#options.output.write(`${line}\n`);
  }

  #command(line: string): void {
    const [name = '', ...words] = line.trim().split(/\s+/);
    const command = this.#commands.get(name);
    if (command) command(words);
    else this.#reply('300 ERR UNKNOWN COMMAND');
  }

  async #init(): Promise<void> {
    try {
      this.#parts = await this.#options.open();
      this.#reply('299-tts speaks\n299 OK LOADED SUCCESSFULLY');
      this.#prepareLater();
    } catch (error) {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      this.#reply(`399-${reason}\n399 ERR CANT INIT MODULE`);
      this.#options.onEnd(1);
    }
  }

  #receiveBlock(reply: string, end: Block['end']): void {
    this.#block = { lines: [], end };
    this.#reply(reply);
  }

  #receiveSettings(): void {
    this.#receiveBlock('203 OK RECEIVING SETTINGS', (lines) => {
      const isGood = lines.every((line) => {
        const [, name, value] = /^([^=]+)=(.+)$/.exec(line) ?? [];
        return name !== undefined && this.#parameters.set(name, value!);
      });
      this.#reply(isGood ? '203 OK SETTINGS RECEIVED' : '303 ERROR INVALID PARAMETER OR VALUE');
    });
  }

  /** The server plays: other ways to a sound device are refused, and it does not need them. */
  #receiveAudio(): void {
    this.#receiveBlock('207 OK RECEIVING AUDIO SETTINGS', (lines) => {
      const isServer = lines.length > 0 && lines.every((line) => line === 'audio_output_method=server');
      this.#reply(isServer ? '203 OK AUDIO INITIALIZED' : '303 ERROR INVALID PARAMETER OR VALUE');
    });
  }

  /** Messages for the log are few, and go to stderr whatever the level. */
  #receiveLogLevel(): void {
    this.#receiveBlock('207 OK RECEIVING LOGLEVEL SETTINGS', () => this.#reply('203 OK LOGLEVEL SET'));
  }

  #quit(): void {
    this.close();
    this.#reply('210 OK QUIT');
    this.#options.onEnd(0);
  }

  #listVoices(language?: string, variant?: string): void {
    const lines = this.#parts?.voices.lines(language, variant) ?? [];
    const found = lines.map((line) => `200-${line}\n`).join('');
    this.#reply(found === '' ? '304 CANT LIST VOICES' : `${found}200 OK VOICE LIST SENT`);
  }

  #receiveMessage(type: MessageType): void {
    this.#receiveBlock('202 OK RECEIVING MESSAGE', (lines) => {
      const parts = this.#parts;
      if (parts === undefined || lines.join('') === '') this.#reply('301 ERROR CANT SPEAK');
      else if (type !== 'SPEAK' && lines.length > 1) this.#reply('305 DATA MORE THAN ONE LINE');
      else this.#begin(type, lines.join('\n'), parts);
    });
  }

  #begin(type: MessageType, text: string, parts: ModuleParts): void {
    this.#interrupt();
    const by = parts.voices.choose(this.#parameters);
    const message = partsOfMessage(type, text, this.#parameters, by.language);
    const speaking = { abort: createAbort(), isPausing: false };
    this.#speaking = speaking;
    this.#reply('200 OK SPEAKING');
    void this.#speak(speaking, message, by, parts);
  }

  async #speak(speaking: Speaking, message: readonly MessagePart[], by: SpokenBy, parts: ModuleParts): Promise<void> {
    const sound = this.#parameters.sound();
    const { signal } = speaking.abort;
    this.#reply('701 BEGIN');
    try {
      for (const part of message) {
        for await (const [heard, sampleRate] of this.#sounds(part, by, sound, parts, signal)) {
          await this.#send(heard, sampleRate, signal);
        }
        for (const name of part.kind === 'text' ? part.utterance.ends : []) {
          this.#mark(name);
          if (!speaking.isPausing || !OWN_MARK.test(name)) continue;
          this.#end(speaking, '704 PAUSE');
          return;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#options.onError(error);
    }
    this.#end(speaking, '702 END');
  }

  async *#sounds(
    part: MessagePart,
    by: SpokenBy,
    sound: Sound,
    { speech, soundIconsDir }: ModuleParts,
    signal: AbortSignal,
  ): AsyncGenerator<readonly [Heard, sampleRate: number]> {
    if (part.kind === 'icon') {
      const icon = await soundIcon(soundIconsDir, part.name);
      if (icon) yield [icon.pcm, icon.sampleRate];
      if (icon || !part.orSay) return;
    }
    const spoken =
      part.kind === 'icon'
        ? ({ kind: 'text', utterance: { text: part.name.replaceAll(/[-_]/g, ' '), inner: [], ends: [] } } as const)
        : part;
    for await (const heard of speech.say(spoken, by, sound, signal)) yield [heard, sound.sampleRate];
  }

  async #send(heard: Heard, sampleRate: number, signal: AbortSignal): Promise<void> {
    if (!(heard instanceof Int16Array)) {
      this.#mark(heard.name);
      return;
    }
    for (let at = 0; at < heard.length; at += BLOCK_SAMPLES) {
      signal.throwIfAborted();
      const { output } = this.#options;
      const block = audioBlock(heard.subarray(at, at + BLOCK_SAMPLES), sampleRate);
      if (!output.write(block)) await output.drained(signal);
    }
    signal.throwIfAborted();
  }

  #mark(name: string): void {
    this.#reply(`700-${name}\n700 INDEX MARK`);
  }

  #end(speaking: Speaking, event: string): void {
    if (this.#speaking !== speaking) return;
    this.#speaking = undefined;
    this.#reply(event);
    this.#prepareLater();
  }

  /** While nothing is spoken nothing is told: the server would take it for the next message's. */
  #stop(): void {
    const speaking = this.#speaking;
    if (speaking === undefined) return;
    speaking.abort.abort();
    this.#end(speaking, '703 STOP');
  }

  /** It goes on to the end of the sentence, which is where the server resumes. */
  #pause(): void {
    if (this.#speaking) this.#speaking.isPausing = true;
  }

  #interrupt(): void {
    clearTimeout(this.#idle);
    this.#preparing?.abort();
    this.#speaking?.abort.abort();
  }

  /** Makes what is kept ready of the voice in use, once nobody speaks. */
  #prepareLater(): void {
    clearTimeout(this.#idle);
    const { voices, speech } = this.#parts!;
    const by = voices.choose(this.#parameters);
    if (this.#prepared.has(by.voice)) return;
    this.#idle = setTimeout(() => {
      const preparing = createAbort();
      this.#preparing = preparing;
      speech.prepare(by, preparing.signal).then(
        () => void this.#prepared.add(by.voice),
        (error: unknown) => {
          if (!preparing.signal.aborted) this.#options.onError(error);
        },
      );
    }, IDLE_MS);
  }
}

/** A message may be many requests, and each listens until its connection has ended. */
function createAbort(): AbortController {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  return abort;
}
