/**
 * The text whose delivery is measured: prose, dialogue, a list, headings, and questions of every
 * kind. It was written before its first measurement and is not chosen by results.
 */

/** A question that asks for yes or no, with a question word, with a tag, or with a choice. */
export const QUESTION_KINDS = ['yes-no', 'wh', 'tag', 'or'] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface Sentence {
  readonly text: string;
  /** Absent for what is no question. */
  readonly asks?: QuestionKind;
}

/** A heading, an item of a list, or a paragraph. */
export interface Block {
  readonly kind: 'heading' | 'item' | 'prose';
  readonly sentences: readonly Sentence[];
}

const say = (...sentences: (string | Sentence)[]): Block => ({
  kind: 'prose',
  sentences: sentences.map((each) => (typeof each === 'string' ? { text: each } : each)),
});
const ask = (asks: QuestionKind, text: string): Sentence => ({ text, asks });
const heading = (text: string): Block => ({ kind: 'heading', sentences: [{ text: `# ${text}` }] });
const item = (text: string): Block => ({ kind: 'item', sentences: [{ text: `- ${text}` }] });

export const STORY: readonly Block[] = [
  heading('The harbour clock'),
  say(
    'The clock above the harbour had stopped on a Tuesday, and for three weeks nobody did anything about it.',
    'The fishermen told the time by the tide; the baker, by his bread.',
    'Only Mrs. Lund, who had wound it every Sunday for forty years, crossed the square each morning and looked up – as though it might have changed its mind.',
    'It never had.',
  ),
  say(
    'On the first of November a young man came off the ferry with a wooden case (it was heavier than it looked) and asked for the keys.',
    'He wore no coat.',
    'The wind had been in the north for days, and people watched him from their windows as he crossed the square.',
    'Mrs. Lund opened the door before he could knock.',
  ),
  say(ask('yes-no', '"Are you from the council?"')),
  say('"No," he said, "from the clock."'),
  say('She did not smile, but she let him in.', ask('yes-no', '"Do you know what is wrong with it?"')),
  say('"Not yet.', ask('wh', 'When did you last hear it strike?"')),
  say('"In April... no, in May.', 'It was slow by then.', ask('tag', 'You can hear that, can\'t you?"')),
  say(ask('or', '"Was it the strike that was slow, or the hands?"')),
  say('"Both: a minute a day at first, and then an hour.', ask('yes-no', 'Can it be mended?"')),
  say('He put down the case and looked at the ceiling.', ask('yes-no', '"Is the tower open?"')),
  say('"It is never locked.', ask('wh', 'Who would steal the time?"')),
  heading('What he needed'),
  say('He sat at her table and wrote a list:'),
  item('a ladder of at least six metres'),
  item('two litres of thin oil, a brush and some rags'),
  item('somebody who was not afraid of heights'),
  say(
    'By noon they stood together beneath the great wheel.',
    'Dust lay on everything; a swallow had built her nest between the teeth, and that, it turned out, was all that was wrong.',
    'Four small heads looked down at them.',
    'He reached out, and then he stopped.',
    ask('yes-no', '"Shall we wait until they have flown?"'),
  ),
  say(
    'So the town went without the hour until the end of the year.',
    'It is still told there that winter came at twenty past four, and that nobody minded.',
    ask('tag', 'But that is not quite true, is it?'),
    'They minded it every day, and they would not have had it otherwise.',
    ask('or', 'Would you rather know the hour, or keep the swallows?'),
  ),
];

/** The questions alone, a paragraph each. */
export const QUESTIONS: readonly Block[] = STORY.flatMap(({ sentences }) => sentences)
  .filter(({ asks }) => asks !== undefined)
  .map(({ text, asks }) => say({ text: text.replaceAll('"', ''), asks: asks! }));

/** As it is sent: items in lines of their own, everything else a paragraph. */
export const textOf = (blocks: readonly Block[]): string =>
  blocks
    .map(({ kind, sentences }, at) => {
      const gap = at === 0 ? '' : kind === 'item' && blocks[at - 1]!.kind === 'item' ? '\n' : '\n\n';
      return gap + sentences.map(({ text }) => text).join(' ');
    })
    .join('');
