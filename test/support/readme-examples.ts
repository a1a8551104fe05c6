/** The commands of the documents, as a person would copy them: fences marked `sh` and `console`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

export interface Example {
  /** What is typed at the prompt, its continued lines included. */
  readonly command: string;
  /** What is then typed into the program (`> …` in the document). */
  readonly typed: readonly string[];
}

export interface Fence {
  /** `sh`, or `sh other-machine` for commands that need a network, another machine or hours. */
  readonly info: string;
  readonly text: string;
}

/** Every fenced block of a document, in order. */
export const fencesOf = (document: string): Fence[] =>
  [...readFileSync(path.join(ROOT, document), 'utf8').matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    info: match[1]!,
    text: match[2]!.trimEnd(),
  }));

/** Every `$ …` of every `console` fence, in order. */
export function consoleExamples(document = 'README.md'): Example[] {
  return fencesOf(document)
    .filter(({ info }) => info === 'console')
    .flatMap(({ text }) => text.split(/^\$ /m).slice(1))
    .map((text) => {
      const lines = text.trimEnd().split('\n');
      const end = lines.findIndex((line) => !line.endsWith('\\'));
      return {
        command: lines.slice(0, end + 1).join('\n'),
        typed: lines.filter((line) => line.startsWith('> ')).map((line) => line.slice(2)),
      };
    });
}

/** The first `sh` fence: what a fresh clone is asked to do. */
export const firstExample = (): string => fencesOf('README.md').find(({ info }) => info === 'sh')!.text;
