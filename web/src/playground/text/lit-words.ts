/** Marks the word that is heard and those before it, and keeps it in sight. */
import { type Block, blockAt } from './blocks.js';

/** After a listener scrolls, the text stays where it is for this long (ms). */
const LET_SCROLL_MS = 4_000;
/** No word was marked yet. */
const NONE = -2;

export class LitWords {
  readonly #box: { readonly current: HTMLElement | null };
  readonly #blocks: readonly Block[];
  #at = NONE;
  #block = NONE;
  #scrolledMs = Number.NEGATIVE_INFINITY;

  constructor(box: { readonly current: HTMLElement | null }, blocks: readonly Block[]) {
    this.#box = box;
    this.#blocks = blocks;
  }

  /** The elements of words are new: the next `light` marks them again. */
  repaint(): void {
    this.#at = NONE;
  }

  letScroll(): void {
    this.#scrolledMs = performance.now();
  }

  /** `at`: the word that is heard; -1 before the first, their number behind the last. */
  light(at: number): void {
    const box = this.#box.current;
    if (at === this.#at || box === null) return;
    this.#at = at;
    const block = blockAt(this.#blocks, at);
    if (block !== this.#block) this.#passBlocks(box, block);
    const element = box.children[block];
    for (const word of element?.querySelectorAll<HTMLElement>('.word') ?? []) {
      const index = Number(word.dataset.index);
      word.classList.toggle('heard', index < at);
      word.classList.toggle('now', index === at);
      if (index === at) this.#arrive(box, word);
    }
  }

  /** Blocks before the one that is heard are marked as a whole. */
  #passBlocks(box: HTMLElement, block: number): void {
    const old = this.#block;
    const isNew = old === NONE;
    const from = isNew ? 0 : Math.max(0, Math.min(old, block));
    const to = isNew ? box.children.length - 1 : Math.min(box.children.length - 1, Math.max(old, block));
    for (let i = from; i <= to; i++) box.children[i]!.classList.toggle('heard', i < block);
    for (const word of box.children[old]?.querySelectorAll('.word') ?? []) word.classList.remove('heard', 'now');
    this.#block = block;
  }

  #arrive(box: HTMLElement, word: HTMLElement): void {
    if (!box.contains(document.activeElement)) {
      box.querySelector('.word[tabindex="0"]')?.setAttribute('tabindex', '-1');
      word.tabIndex = 0;
    }
    if (performance.now() - this.#scrolledMs < LET_SCROLL_MS) return;
    const { top, bottom } = word.getBoundingClientRect();
    const frame = box.getBoundingClientRect();
    if (top >= frame.top && bottom <= frame.top + frame.height * 0.85) return;
    const isFar = Math.abs(top - frame.top) > frame.height * 2;
    const isStill = isFar || matchMedia('(prefers-reduced-motion: reduce)').matches;
    box.scrollTo({
      top: box.scrollTop + top - frame.top - frame.height * 0.25,
      behavior: isStill ? 'auto' : 'smooth',
    });
  }
}
