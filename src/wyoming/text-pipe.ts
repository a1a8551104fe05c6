/** Text that arrives in events and is read while it arrives. */
import { Condition } from '../condition.js';

/** Characters that wait to be read before the writer waits for the reader. */
const MAX_WAITING_CHARS = 8_192;

export class TextPipe implements AsyncIterable<string> {
  #waiting = '';
  #ended = false;
  readonly #changed = new Condition();

  /** Resolves when there is room for more. */
  async push(text: string, signal: AbortSignal): Promise<void> {
    this.#waiting += text;
    this.#changed.notify();
    await this.#changed.until(() => this.#waiting.length < MAX_WAITING_CHARS, signal);
  }

  end(): void {
    this.#ended = true;
    this.#changed.notify();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<string> {
    for (;;) {
      await this.#changed.until(() => this.#waiting !== '' || this.#ended);
      if (this.#waiting === '') return;
      const text = this.#waiting;
      this.#waiting = '';
      this.#changed.notify();
      yield text;
    }
  }
}
