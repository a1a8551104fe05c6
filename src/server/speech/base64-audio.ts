/** Audio as base64 in a JSON text, written as it comes: three bytes are four signs. */

/** The first bytes are kept so far: longer than the header of any format. */
const KEPT_BYTES = 65_536;

export class Base64Audio {
  /** One or two bytes that wait for the third. */
  #left: Buffer = Buffer.alloc(0);
  #first: Buffer = Buffer.alloc(0);

  /** The signs that these bytes complete. */
  add(bytes: Uint8Array): Buffer {
    if (this.#first.length < KEPT_BYTES) this.#first = Buffer.concat([this.#first, bytes]).subarray(0, KEPT_BYTES);
    const all = Buffer.concat([this.#left, bytes]);
    const whole = all.length - (all.length % 3);
    this.#left = all.subarray(whole);
    return Buffer.from(all.toString('base64', 0, whole), 'latin1');
  }

  /** The signs of what is left. */
  end(): string {
    return this.#left.toString('base64');
  }

  /** The first signs once more, of audio that begins with `head`. */
  settled(head: Uint8Array | undefined): Uint8Array | undefined {
    if (head === undefined || head.length > this.#first.length) return undefined;
    // Up to the next three bytes, which the head may share with what follows it.
    const bytes = Buffer.from(this.#first.subarray(0, Math.ceil(head.length / 3) * 3));
    bytes.set(head);
    return Buffer.from(bytes.toString('base64'), 'latin1');
  }
}
