/** What listeners of a bench hear, and by which voice. */
export const VOICE = 'english_female_professional';
/** About 13 seconds of speech each. */
export const TEXTS = [
  'The two of them walked along the river until the lights of the town were far behind, and neither said a word. It was cold for the time of year, and the old bridge lay in the dark. They stopped there for a while.',
  'Somebody had left a lantern on the wall, still burning, with a folded letter under it. He shook his head, put it into his coat, and they went on. Later, when the rain began, he wished that he had listened to her.',
  'It was late in the evening when the last train came in, and nobody was waiting for it. The lamps along the platform went out one by one. Somewhere behind the station a dog barked twice, then thought better of it.',
  'Nobody in the office could say who had ordered the clocks. They came on a Tuesday, forty of them, each in its own wooden box. By Friday every desk had one, and no two of them told the same time of day.',
];

/** Characters that are read in a minute. */
const CHARS_PER_MINUTE = 900;
const CHAPTER_CHARS = 20_000;

/** A book in Markdown that takes about so long to read, in which no sentence comes twice. */
export function bookText(minutes: number): string {
  const chapters: string[] = [];
  let chars = 0;
  let sentences = 0;
  const numbered = (text: string) => text.replace(/(?<=^|[.!?]["”]? )\p{Lu}/gu, (first) => `${++sentences}: ${first}`);
  for (let at = 0, inChapter = CHAPTER_CHARS; chars < minutes * CHARS_PER_MINUTE; at += 1) {
    if (inChapter >= CHAPTER_CHARS) {
      chapters.push(`# Chapter ${chapters.length + 1}\n\n`);
      inChapter = 0;
    }
    const paragraph = `${numbered(TEXTS[at % TEXTS.length]!)}\n\n`;
    chapters[chapters.length - 1] += paragraph;
    chars += paragraph.length;
    inChapter += paragraph.length;
  }
  return chapters.join('');
}
