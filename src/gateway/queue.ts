/** Whose segment is next: owners take turns, and within an owner its streams do; the hungry go before the others. */

export class FairQueue<T> {
  /** A Map keeps the order of insertion: whoever had a turn is taken out and put in again, last. */
  #owners = new Map<string, Map<object, T[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(owner: string, stream: object, item: T): void {
    const streams = this.#owners.get(owner) ?? new Map<object, T[]>();
    this.#owners.set(owner, streams);
    const items = streams.get(stream);
    if (items === undefined) streams.set(stream, [item]);
    else items.push(item);
    this.#size++;
  }

  /** Puts an item back at the very front: it had its turn and lost it through no fault of its own. */
  unshift(owner: string, stream: object, item: T): void {
    const streams = this.#owners.get(owner) ?? new Map<object, T[]>();
    const items = streams.get(stream) ?? [];
    const others = [...streams].filter(([other]) => other !== stream);
    const rest = [...this.#owners].filter(([other]) => other !== owner);
    this.#owners = new Map([[owner, new Map([[stream, [item, ...items]], ...others])], ...rest]);
    this.#size++;
  }

  /** The next item that is hungry, by turns; where none is, the next of all. */
  shift(isHungry: (item: T) => boolean = () => true): T | undefined {
    for (const [owner, streams] of this.#owners) {
      for (const [stream, items] of streams) {
        if (isHungry(items[0]!)) return this.#take(owner, streams, stream, items);
      }
    }
    for (const [owner, streams] of this.#owners) {
      for (const [stream, items] of streams) return this.#take(owner, streams, stream, items);
    }
    return undefined;
  }

  #take(owner: string, streams: Map<object, T[]>, stream: object, items: T[]): T {
    const item = items.shift()!;
    streams.delete(stream);
    if (items.length > 0) streams.set(stream, items);
    this.#owners.delete(owner);
    if (streams.size > 0) this.#owners.set(owner, streams);
    this.#size--;
    return item;
  }

  /** Takes one item out, wherever it stands. */
  remove(owner: string, stream: object, item: T): boolean {
    const streams = this.#owners.get(owner);
    const items = streams?.get(stream);
    const at = items?.indexOf(item) ?? -1;
    if (streams === undefined || items === undefined || at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) streams.delete(stream);
    if (streams.size === 0) this.#owners.delete(owner);
    this.#size--;
    return true;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const streams of this.#owners.values()) for (const items of streams.values()) yield* items;
  }
}
