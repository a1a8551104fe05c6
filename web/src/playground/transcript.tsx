/** The spoken text: the word that is heard is lit, and playback can begin at any word. */
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { player, playFrom, run, words } from './state.js';

export function Transcript() {
  const box = useRef<HTMLElement>(null);
  useLitWords(box);
  const list = words.value;
  const hear = (index: number) => {
    const word = list[index];
    const at = word && run.value?.clock.startOf(word);
    if (at !== undefined) playFrom(at);
  };
  const indexOf = (target: EventTarget | null) => Number((target as HTMLElement | null)?.dataset?.index ?? -1);
  /** One stop for the tab key; arrows go from word to word. */
  const onKey = (event: KeyboardEvent) => {
    const index = indexOf(event.target);
    if (index < 0) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const next = box.current?.querySelector<HTMLElement>(`[data-index="${index + step}"]`);
      next?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') hear(index);
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
    >
      {list.map((word, index) => (
        <>
          {word.before}
          {/* biome-ignore lint/a11y/useSemanticElements: a button cannot be selected and copied as text. */}
          <span role="button" tabIndex={index === 0 ? 0 : -1} data-index={index} key={word.start} class="word">
            {word.text}
          </span>
        </>
      ))}
    </section>
  );
}

/** Lights words frame by frame without rendering them again. */
function useLitWords(box: { readonly current: HTMLElement | null }): void {
  const lit = useRef(-2);
  const paint = () => {
    const current = run.value;
    if (current === undefined || box.current === null) return;
    const list = words.peek();
    const over = !player.playing.peek() && current.recording.finished.peek();
    const sample = player.position();
    const at = over && sample >= current.recording.length.peek() - 2_400 ? list.length : current.clock.at(list, sample);
    if (at === lit.current) return;
    lit.current = at;
    for (const element of box.current.querySelectorAll<HTMLElement>('.word')) {
      const index = Number(element.dataset.index);
      element.classList.toggle('heard', index < at);
      element.classList.toggle('now', index === at);
      if (index === at) follow(element);
    }
  };
  useSignalEffect(() => {
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
    lit.current = -2;
  }, [words.value]);
}

/** Scrolls to the spoken word unless it is in sight. */
function follow(element: HTMLElement): void {
  const { top, bottom } = element.getBoundingClientRect();
  if (top > 80 && bottom < window.innerHeight - 140) return;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  element.scrollIntoView({ block: 'center', behavior: still ? 'auto' : 'smooth' });
}
