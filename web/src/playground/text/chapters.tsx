/** The chapters of the text in sight, as a list to hear it from. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { chaptersOf } from '../../../../src/text/chapters.js';
import { player, playFrom, run, shownText, speak } from '../state.js';
import { pointsOf } from './words.js';

/** A pause in typing (ms) after which headings are looked for again. */
const REST_MS = 400;

interface Chapter {
  readonly title: string;
  /** Where it begins in the text, in UTF-16 units and in code points. */
  readonly at: number;
  readonly start: number;
}

function listOf(text: string): Chapter[] {
  let at = 0;
  let start = 0;
  return chaptersOf(text, 'Beginning').map((chapter) => {
    const entry = { title: chapter.title, at, start };
    at += chapter.text.length;
    start += pointsOf(chapter.text);
    return entry;
  });
}

export function Chapters() {
  const chapters = useSignal<readonly Chapter[]>(listOf(shownText.peek()));
  const current = useSignal(-1);
  useSignalEffect(() => {
    const text = shownText.value;
    const rest = setTimeout(() => {
      chapters.value = listOf(text);
    }, REST_MS);
    return () => clearTimeout(rest);
  });
  useSignalEffect(() => {
    player.begins.value;
    const said = run.value;
    const list = chapters.value;
    const look = () => {
      current.value =
        said === undefined || !player.playing.peek()
          ? -1
          : chapterAt(list, said.clock, player.position(said.recording));
    };
    look();
    if (!player.playing.value || list.length < 2) return undefined;
    const timer = setInterval(look, 500);
    return () => clearInterval(timer);
  });
  if (chapters.value.length < 2) return null;
  return (
    <details class="chapters">
      <summary>
        {chapters.value.length} chapters
        {current.value >= 0 && <span class="chapter-now">{chapters.value[current.value]?.title}</span>}
      </summary>
      <ol>
        {chapters.value.map((chapter, i) => (
          <li key={chapter.at}>
            <button type="button" aria-current={i === current.value ? 'true' : undefined} onClick={() => hear(chapter)}>
              {chapter.title}
            </button>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Plays what is there already; what is not yet is spoken from the chapter on. */
function hear({ at, start }: Chapter): void {
  const said = run.value;
  const isShown = said !== undefined && said.text.value === shownText.value;
  const sample = isShown ? said.clock.startOf({ start }) : undefined;
  if (sample === undefined) speak(at);
  else playFrom(sample);
}

interface Clock {
  readonly from: number;
  startOf(word: { readonly start: number }): number | undefined;
}

function chapterAt(chapters: readonly Chapter[], clock: Clock, sample: number): number {
  let found = -1;
  for (const [i, { start }] of chapters.entries()) {
    const begins = start <= clock.from ? -1 : clock.startOf({ start });
    if (begins === undefined || begins > sample) break;
    found = i;
  }
  return found;
}
