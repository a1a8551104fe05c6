/** `tts man`: the manual page in roff, made from the commands themselves. */
import path from 'node:path';
import { Command } from 'commander';
import { makeFolder } from '../../folder.js';
import type { CommandEntry } from './completion.js';

const EXAMPLES = `
Examples:
  tts man | man -l -                        read it, where it was not installed with the package`;

export function command(entries: readonly CommandEntry[]): Command {
  return new Command('man')
    .description('Prints the manual page.')
    .option('-o, --output <FILE>', 'write it to FILE')
    .addHelpText('after', EXAMPLES)
    .action(async ({ output }: { output?: string }, self: Command) => {
      const page = await manualOf(self.parent!, entries);
      if (output === undefined) {
        process.stdout.write(page);
        return;
      }
      const { writeWhole } = await import('../../client/sinks/file.js');
      try {
        makeFolder(path.dirname(path.resolve(output)));
      } catch {
        // Nor can the file be written, which says why.
      }
      await writeWhole(output, page);
    });
}

/** Escapes what roff would take for a request, and hyphens, so that they can be copied. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&');

async function manualOf(program: Command, entries: readonly CommandEntry[]): Promise<string> {
  const parts = [
    `.TH TTS 1 "" "tts ${program.version() ?? ''}" "User Commands"`,
    '.SH NAME',
    `tts \\- ${escaped(sentence(program.description()))}`,
    '.SH SYNOPSIS',
    '.B tts',
    '.I command',
    '[\\fIoptions\\fR]',
    '.SH COMMANDS',
  ];
  for (const entry of entries) {
    const loaded = entry.name === 'man' ? command([]) : (await entry.load()).command();
    parts.push(...sectionsOf(loaded, `tts ${entry.name}`));
  }
  return `${[...parts, '.SH EXAMPLES', ...helpAfter(program)].join('\n')}\n`;
}

const sentence = (text: string): string => text.replace(/\.$/, '').replace(/^./, (first) => first.toLowerCase());

function sectionsOf(source: Command, name: string): string[] {
  const options = source.options.filter((option) => !option.hidden);
  const own = [
    `.SS "${escaped(name)}${escaped(usageOf(source))}"`,
    escaped(source.description()),
    ...options.flatMap(({ flags, description }) => ['.TP', `\\fB${escaped(flags)}\\fR`, escaped(description)]),
    ...helpAfter(source),
  ];
  return [...own, ...source.commands.flatMap((sub) => sectionsOf(sub, `${name} ${sub.name()}`))];
}

const usageOf = (source: Command): string => {
  const words = source.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? word : `[${word}]`;
  });
  return words.length > 0 ? ` ${words.join(' ')}` : '';
};

/** What a command's help says below its options: examples, mostly, which keep their lines. */
function helpAfter(source: Command): string[] {
  let help = '';
  const write = (more: string): void => {
    help += more;
  };
  source.configureOutput({ writeOut: write }).outputHelp();
  const text = help.slice(source.helpInformation().length);
  return text.trim() === '' ? [] : ['.PP', '.nf', escaped(text.trim()), '.fi'];
}
