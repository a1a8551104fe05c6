/** `tts speechd-module` as speech-dispatcher's server runs it: lines in, replies and events out. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { Condition } from '../src/condition.js';
import { NODE_FLAGS } from '../src/speechd/node-flags.js';

const TTS = path.resolve(import.meta.dirname, '../bin/tts.js');
const ESCAPE = 0x7d;

export interface ModuleMessage {
  /** All lines of it, without codes where they go on (`700-`). */
  readonly lines: readonly string[];
  /** The last line, `702 END`. */
  readonly last: string;
  readonly pcm: Int16Array;
  readonly sampleRate: number;
  /** When it was read (performance.now). */
  readonly atMs: number;
}

export class ModuleProcess {
  readonly messages: ModuleMessage[] = [];
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  #bytes = Buffer.alloc(0);
  #read = 0;
  readonly #changed = new Condition();

  constructor(env: NodeJS.ProcessEnv, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [...NODE_FLAGS, TTS, 'speechd-module', ...args], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout!.on('data', (part: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, part]);
      while (this.#parse());
      this.#changed.notify();
    });
    this.exited = new Promise((resolve) => this.child.once('exit', resolve));
    void this.exited.then(() => this.#changed.notify());
  }

  send(text: string): void {
    this.child.stdin!.write(text);
  }

  /** The next message that nobody has taken. */
  async next(): Promise<ModuleMessage> {
    await this.#changed.until(() => this.messages.length > this.#read || this.child.exitCode !== null);
    const message = this.messages[this.#read];
    if (message === undefined) throw new Error('the module ended');
    this.#read += 1;
    return message;
  }

  /** Sends a command and its lines up to the dot; the reply to each. */
  async command(name: string, lines?: readonly string[]): Promise<string[]> {
    this.send(`${name}\n`);
    const replies = [(await this.next()).last];
    if (lines === undefined) return replies;
    this.send(`${lines.map((line) => `${line}\n`).join('')}.\n`);
    replies.push((await this.next()).last);
    return replies;
  }

  /** Starts it as the server does. */
  async init(): Promise<void> {
    const [loaded] = await this.command('INIT');
    if (loaded !== '299 OK LOADED SUCCESSFULLY') throw new Error(loaded);
    await this.command('AUDIO', ['audio_output_method=server']);
  }

  /** Speaks, and hears it to its end. */
  async speak(type: string, text: string): Promise<Heard> {
    await this.command(type, text.split('\n'));
    return this.hear();
  }

  /** Events until the message ends, however it does. */
  async hear(): Promise<Heard> {
    const events: string[] = [];
    const blocks: ModuleMessage[] = [];
    for (;;) {
      const message = await this.next();
      if (message.last === '705 AUDIO') blocks.push(message);
      if (message.last === '705 AUDIO' && events.at(-1) === 'audio') continue;
      const mark = /^700 /.test(message.last) ? message.lines[0]! : undefined;
      events.push(mark ?? (message.last === '705 AUDIO' ? 'audio' : message.last));
      if (/^70[234] /.test(message.last)) return { events, blocks, samples: samplesOf(blocks) };
    }
  }

  #parse(): boolean {
    const lines: string[] = [];
    let pcm: Int16Array = new Int16Array(0);
    let at = 0;
    for (;;) {
      const end = this.#bytes.indexOf('\n', at);
      if (end < 0) return false;
      const line = this.#bytes.subarray(at, end);
      at = end + 1;
      const text = line.toString('latin1');
      if (text.startsWith('705-AUDIO\0')) pcm = unescaped(line.subarray(10));
      else if (text[3] === '-') lines.push(line.subarray(4).toString());
      else {
        this.#bytes = this.#bytes.subarray(at);
        const rate = lines.find((each) => each.startsWith('sample_rate='))?.slice(12);
        this.messages.push({ lines, last: text, pcm, sampleRate: Number(rate ?? 0), atMs: performance.now() });
        return true;
      }
    }
  }
}

export interface Heard {
  /** Marks by their names, runs of audio as one, other events by their lines. */
  readonly events: readonly string[];
  readonly blocks: readonly ModuleMessage[];
  readonly samples: Int16Array;
}

function samplesOf(blocks: readonly ModuleMessage[]): Int16Array {
  return Int16Array.from(blocks.flatMap(({ pcm }) => [...pcm]));
}

function unescaped(bytes: Buffer): Int16Array {
  const out: number[] = [];
  for (let i = 0; i < bytes.length; i += 1) {
    if (bytes[i] === ESCAPE) out.push(bytes[++i]! ^ 0x20);
    else out.push(bytes[i]!);
  }
  return new Int16Array(Uint8Array.from(out).buffer);
}
