/** Chapters by heading: none lost, none made up, and all the text in them. */
import { describe, expect, it } from 'vitest';
import { chaptersOf, headingTitle } from '../../../src/text/chapters.js';

const titles = (text: string) => chaptersOf(text, 'Beginning').map(({ title }) => title);

describe('chapters', () => {
  it.each([
    ['Markdown', '# One\n\nText.\n\n# Two\n\nMore.\n', ['One', 'Two']],
    ['a title above them', '# Book\n\n## One\n\nText.\n\n## Two\n\nMore.\n', ['Book: One', 'Two']],
    ['sections within them', '# One\n\nText.\n\n## A\n\nText.\n\n# Two\n\n## B\n\nMore.\n', ['One', 'Two']],
    ['underlined headings', 'One\n===\n\nText.\n\nTwo\n===\n\nMore.\n', ['One', 'Two']],
    [
      'marks within titles',
      '# *One* with `code` and [a link](x)\n\nText.\n\n# Two #\n\nMore.',
      ['One with code and a link', 'Two'],
    ],
    [
      'a plain book',
      'Chapter 1\n\nText.\n\nCHAPTER II. The Storm\n\nMore.\n\nEpilogue\n\nEnd.',
      ['Chapter 1', 'CHAPTER II. The Storm', 'Epilogue'],
    ],
    [
      'a Spanish book',
      'Prólogo\n\nTexto.\n\nCapítulo 1\n\nTexto.\n\nCAPÍTULO II: La tormenta\n\nFin.',
      ['Prólogo', 'Capítulo 1', 'CAPÍTULO II: La tormenta'],
    ],
    ['a French book', 'Chapitre premier\n\nTexte.\n\nChapitre 2\n\nFin.', ['Chapitre premier', 'Chapitre 2']],
    ['a Hindi book', 'अध्याय १\n\nपाठ।\n\nअध्याय 2\n\nअंत।', ['अध्याय १', 'अध्याय 2']],
    [
      'a Japanese book',
      '序章\n\n雨だった。\n\n第一章\u3000嵐\n\n晴れた。\n\n第2章\n\n終わり。',
      ['序章', '第一章\u3000嵐', '第2章'],
    ],
    ['a Chinese book', '第一回 开始\n\n他走了。\n\n第二回\n\n春天来了。', ['第一回 开始', '第二回']],
    [
      'sentences that begin like them',
      'Parte de mí dijo no.\n\nUna parte tres veces.\n\n第一章を読んだ。\n',
      ['Beginning'],
    ],
    ['text before the first', 'By nobody.\n\n# One\n\nText.\n\n# Two\n\nMore.', ['Beginning', 'One', 'Two']],
    ['code', '# One\n\n```\n# no\n```\n\n# Two\n\nMore.', ['One', 'Two']],
    ['no headings', 'Just text.\n\nPart of it is here.\n', ['Beginning']],
    ['sentences that begin like headings', 'Chapter and verse.\n\nPart of me said no.\n', ['Beginning']],
  ])('%s', (_name, text, expected) => {
    expect(titles(text)).toEqual(expected);
    expect(
      chaptersOf(text, 'Beginning')
        .map((chapter) => chapter.text)
        .join(''),
    ).toBe(text);
  });
});

describe('the title of a text', () => {
  it.each([
    ['# The Lighthouse\n\n## One\n\nText.\n\n## Two\n\nMore.\n', 'The Lighthouse'],
    ['The Lighthouse\n===\n\nText.\n', 'The Lighthouse'],
    ['# One\n\nText.\n\n# Two\n\nMore.\n', undefined],
    ['## One\n\n# Two\n', undefined],
    ['Chapter 1\n\nText.\n', undefined],
    ['Just text.', undefined],
  ])('%j is %s', (text, title) => {
    expect(headingTitle(text)).toBe(title);
  });
});
