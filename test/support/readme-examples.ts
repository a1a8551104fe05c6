/** The README's examples, as a person would copy them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface Example {
  /** What is typed at the prompt, its continued lines included. */
  readonly command: string;
  /** What is then typed into the program (`> …` in the README). */
  readonly typed: readonly string[];
}

const README = path.resolve(import.meta.dirname, '../../README.md');

/** Every `$ …` of every `console` fence, in order. */
export function consoleExamples(): Example[] {
  const fences = [...readFileSync(README, 'utf8').matchAll(/^```console\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
  return fences.flatMap((fence) =>
    fence
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const lines = text.trimEnd().split('\n');
        const end = lines.findIndex((line) => !line.endsWith('\\'));
        return {
          command: lines.slice(0, end + 1).join('\n'),
          typed: lines.filter((line) => line.startsWith('> ')).map((line) => line.slice(2)),
        };
      }),
  );
}

/** The first `sh` fence: what a fresh clone is asked to do. */
export const firstExample = (): string => /^```sh\n([\s\S]*?)^```$/m.exec(readFileSync(README, 'utf8'))![1]!.trimEnd();
