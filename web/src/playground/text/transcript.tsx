/** The spoken text: the word that is heard is lit, and playback can begin at any word. */
import { type Signal, signal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { player, playFrom, run, words } from '../state.js';
import { type Block, blockAt, blocksOf, spaceBefore } from './blocks.js';
import { LitWords } from './lit-words.js';
import type { Word } from './words.js';

interface ShownBlock extends Block {
  /** In sight or near it: has an element for each word. */
  readonly near: Signal<boolean>;
}

export function Transcript() {
  const box = useRef<HTMLElement>(null);
  const list = words.value;
  const blocks = useMemo(
    () => blocksOf(list).map((block): ShownBlock => ({ ...block, near: signal(block.first === 0) })),
    [list],
  );
  const lit = useLitWords(box, blocks);
  useNearBlocks(box, blocks);
  const hear = (index: number) => {
    const at = list[index] && run.value?.clock.startOf(list[index]);
    if (at !== undefined) playFrom(at);
  };
  /** One stop for the tab key; arrows go from word to word. */
  const onKey = (event: KeyboardEvent) => {
    const index = indexOf(event.target);
    if (index < 0) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined) focusWord(box.current!, blocks, index + step);
    else if (event.key === 'Enter' || event.key === ' ') hear(index);
    else return;
    event.preventDefault();
  };
  return (
    <section
      ref={box}
      class="text transcript"
      aria-label="Spoken text. Choose a word to hear from there."
      onClick={(event) => hear(indexOf(event.target))}
      onKeyDown={onKey}
      onWheel={() => lit.letScroll()}
      onTouchMove={() => lit.letScroll()}
    >
      {blocks.map((block) => (
        <BlockOfWords key={block.first} block={block} words={list} onWords={() => lit.repaint()} />
      ))}
    </section>
  );
}

interface BlockProps {
  readonly block: ShownBlock;
  readonly words: readonly Word[];
  readonly onWords: () => void;
}

function BlockOfWords({ block: { first, end, near }, words: all, onWords }: BlockProps) {
  const own = all.slice(first, end);
  const isNear = near.value;
  useEffect(onWords, [isNear]);
  if (!isNear) {
    const plain = own.map((word, i) => spaceBefore(word, i === 0 && first > 0) + word.text).join('');
    return (
      <div class="block" data-first={first}>
        {plain}
      </div>
    );
  }
  return (
    <div class="block" data-first={first}>
      {own.map((word, i) => (
        <>
          {spaceBefore(word, i === 0 && first > 0)}
          {/* biome-ignore lint/a11y/useSemanticElements: a button cannot be selected and copied as text. */}
          <span role="button" tabIndex={first + i === 0 ? 0 : -1} data-index={first + i} key={word.start} class="word">
            {word.text}
          </span>
        </>
      ))}
    </div>
  );
}

const indexOf = (target: EventTarget | null) => Number((target as HTMLElement | null)?.dataset?.index ?? -1);

/** Gives words to blocks that come near what is in sight, and takes them from others. */
function useNearBlocks(box: { readonly current: HTMLElement | null }, blocks: readonly ShownBlock[]): void {
  useEffect(() => {
    const byFirst = new Map(blocks.map((block) => [block.first, block]));
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const block = byFirst.get(Number((target as HTMLElement).dataset.first));
          if (block && !target.contains(document.activeElement)) block.near.value = isIntersecting;
        }
      },
      { root: box.current, rootMargin: '100%' },
    );
    for (const element of box.current!.children) observer.observe(element);
    return () => observer.disconnect();
  }, [blocks]);
}

function focusWord(box: HTMLElement, blocks: readonly ShownBlock[], index: number): void {
  const block = blocks[blockAt(blocks, index)];
  if (block === undefined) return;
  const focus = () => box.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus();
  if (block.near.value) focus();
  else {
    block.near.value = true;
    requestAnimationFrame(() => requestAnimationFrame(focus));
  }
}

/** Lights words frame by frame without rendering them again. */
function useLitWords(box: { readonly current: HTMLElement | null }, blocks: readonly ShownBlock[]): LitWords {
  const lit = useMemo(() => new LitWords(box, blocks), [blocks]);
  const paint = () => {
    const current = run.value;
    if (current === undefined) return;
    const list = words.peek();
    const isOver = !player.playing.peek() && current.recording.finished.peek();
    const sample = player.position(current.recording);
    const isAtEnd = isOver && sample >= current.recording.length.peek() - 2_400;
    const at = isAtEnd ? list.length : current.clock.at(list, sample);
    const block = blocks[blockAt(blocks, at)];
    if (block && !block.near.peek()) block.near.value = true;
    lit.light(at);
  };
  useSignalEffect(() => {
    player.begins.value;
    if (!player.playing.value) {
      paint();
      return undefined;
    }
    let frame = requestAnimationFrame(function next() {
      paint();
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  });
  useEffect(() => {
    lit.repaint();
    paint();
  }, [blocks]);
  return lit;
}
