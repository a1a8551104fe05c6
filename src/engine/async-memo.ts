/**
 * Asynchronous loads, each made once for a key. A load that fails is forgotten, so that the next
 * caller tries again: a missing model may have been pulled meanwhile.
 */
export class AsyncMemo<Key, Value> {
  readonly #loads = new Map<Key, Promise<Value>>();
  readonly #ready = new Set<Key>();

  /** The value of `key`; `load` is called where there is none yet. */
  get(key: Key, load: (key: Key) => Promise<Value>): Promise<Value> {
    const known = this.#loads.get(key);
    if (known) return known;
    const made = load(key);
    this.#loads.set(key, made);
    made.then(
      () => this.#ready.add(key),
      () => this.#loads.delete(key),
    );
    return made;
  }

  /** Whether the load of `key` has ended well. */
  isReady(key: Key): boolean {
    return this.#ready.has(key);
  }

  /** Keys that are loaded or being loaded. */
  keys(): Key[] {
    return [...this.#loads.keys()];
  }

  /** Waits for the loads that are under way, and returns the values of those that ended well. */
  async settled(): Promise<Value[]> {
    const all = await Promise.allSettled(this.#loads.values());
    return all.flatMap((load) => (load.status === 'fulfilled' ? [load.value] : []));
  }
}
