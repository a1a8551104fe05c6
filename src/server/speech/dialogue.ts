/**
 * Turns of a dialogue, each with a voice of its own, as one speech: a turn is an order at the
 * gateway, and the next one begins while the one before it is being heard.
 */
import type { Gateway, GatewayEvent, Speech, SpeechRecord } from '../../gateway/types.js';
import type { Segment } from '../../protocol/job.js';
import type { TextCutter } from '../../text/segment/cutter.js';

export interface Turn {
  /** The id of a voice of the catalogue, or a mix of voices. */
  readonly voice: string;
  readonly text: string;
}

type TurnOf = WeakMap<Segment, number>;
type Order = Parameters<Gateway['open']>[0];

/** Cuts turns one after another. A flush ends a turn. */
class TurnCutter implements TextCutter {
  readonly #cutters: readonly TextCutter[];
  readonly #turnOf: TurnOf;
  #turn = 0;

  constructor(cutters: readonly TextCutter[], turnOf: TurnOf) {
    this.#cutters = cutters;
    this.#turnOf = turnOf;
  }

  get pendingChars(): number {
    return this.#cutters[this.#turn]?.pendingChars ?? 0;
  }

  get ignoredMarkup(): readonly string[] {
    return this.#cutters.flatMap(({ ignoredMarkup }) => ignoredMarkup);
  }

  async push(text: string): Promise<Segment[]> {
    return this.#mark((await this.#cutters[this.#turn]?.push(text)) ?? []);
  }

  async flush(): Promise<Segment[]> {
    const segments = (await this.#cutters[this.#turn]?.end()) ?? [];
    const last = segments.at(-1);
    const isLastTurn = this.#turn === this.#cutters.length - 1;
    // Speakers leave a pause between them.
    if (last && !isLastTurn) segments[segments.length - 1] = { ...last, pause: 'sentence' };
    const marked = this.#mark(segments);
    this.#turn += 1;
    return marked;
  }

  end(): Promise<Segment[]> {
    return this.flush();
  }

  close(): void {
    for (const cutter of this.#cutters) cutter.close();
  }

  #mark(segments: Segment[]): Segment[] {
    // While the first sound of a later turn is made, the turn before it is heard.
    const marked = this.#turn === 0 ? segments : segments.map(({ awaited: _, ...segment }) => segment);
    for (const segment of marked) this.#turnOf.set(segment, this.#turn);
    return marked;
  }
}

interface DialogueOptions {
  readonly turns: readonly Turn[];
  readonly gateway: Gateway;
  readonly order: (turn: Turn) => Order;
  readonly cutter: (turn: Turn) => TextCutter;
}

/** Throws as the gateway's `open` does. */
export function openDialogue({ turns, gateway, order, cutter }: DialogueOptions): {
  speech: Speech;
  cutter: TextCutter;
} {
  const turnOf: TurnOf = new WeakMap();
  const open = (turn: Turn): Speech => {
    const speech = gateway.open(order(turn));
    speech.wrote(turn.text.length, true);
    return speech;
  };
  const speech = new DialogueSpeech(turns, turnOf, open);
  return { speech, cutter: new TurnCutter(turns.map(cutter), turnOf) };
}

/** A turn whose speech has begun: its first event is asked for already. */
interface Begun {
  readonly events: AsyncIterator<GatewayEvent>;
  readonly first: Promise<IteratorResult<GatewayEvent>>;
}

class DialogueSpeech implements Speech {
  readonly #turns: readonly Turn[];
  readonly #turnOf: TurnOf;
  readonly #open: (turn: Turn) => Speech;
  /** Speeches of turns that were begun; the first has its place from the beginning. */
  readonly #speeches: Speech[];
  /** The first segment of the next turn, once it was cut. */
  #next: Segment | undefined;
  #closed = false;

  constructor(turns: readonly Turn[], turnOf: TurnOf, open: (turn: Turn) => Speech) {
    this.#turns = turns;
    this.#turnOf = turnOf;
    this.#open = open;
    this.#speeches = [open(turns[0]!)];
  }

  get queueMs(): number | undefined {
    return this.#speeches[0]!.queueMs;
  }

  get record(): SpeechRecord {
    const records = this.#speeches.map(({ record }) => record);
    return {
      breaks: records.reduce((sum, { breaks }) => sum + breaks, 0),
      workers: [...new Set(records.flatMap(({ workers }) => workers))],
    };
  }

  /** The gateway is told all text of a turn when that is opened. */
  wrote(): void {}

  close(): void {
    this.#closed = true;
    for (const speech of this.#speeches) speech.close();
  }

  async *speak(segments: AsyncIterable<Segment>, signal: AbortSignal): AsyncGenerator<GatewayEvent, void, undefined> {
    const source = segments[Symbol.asyncIterator]();
    const { value, done } = await source.next();
    if (!done) this.#next = value;
    let current = this.#begin(source, signal);
    while (current !== undefined) {
      let upcoming: Begun | undefined;
      let event = await current.first;
      while (!event.done) {
        yield event.value;
        // One turn ahead, so that its first audio is there when this one ends.
        upcoming ??= this.#begin(source, signal);
        event = await current.events.next();
      }
      current = upcoming ?? this.#begin(source, signal);
    }
  }

  /** Undefined where no segment of a next turn has come. */
  #begin(source: AsyncIterator<Segment>, signal: AbortSignal): Begun | undefined {
    const first = this.#next;
    if (first === undefined || this.#closed) return undefined;
    this.#next = undefined;
    const turn = this.#turnOf.get(first) ?? 0;
    const speech = turn === 0 ? this.#speeches[0]! : this.#open(this.#turns[turn]!);
    if (turn > 0) this.#speeches.push(speech);
    const events = speech.speak(this.#segmentsOf(first, source), signal)[Symbol.asyncIterator]();
    const begun = { events, first: events.next() };
    // Told to the consumer when the turn is delivered.
    begun.first.catch(() => undefined);
    return begun;
  }

  /** The segments of one turn, up to the first of the next. */
  async *#segmentsOf(first: Segment, source: AsyncIterator<Segment>): AsyncGenerator<Segment, void, undefined> {
    const turn = this.#turnOf.get(first);
    for (let segment = first; ; ) {
      yield segment;
      const { value, done } = await source.next();
      if (done) return;
      if (this.#turnOf.get(value) !== turn) {
        this.#next = value;
        return;
      }
      segment = value;
    }
  }
}
