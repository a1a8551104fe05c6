/** `tts completion`: scripts for shells, made from the commands and options themselves. */
import { Argument, Command, type Option } from 'commander';
import { loadConfig } from '../../config.js';
import { SPEECH_MODELS } from '../../protocol/contract.js';
import { SettingOption } from '../context.js';
import { ownCatalogue } from '../own-voices.js';

export interface CommandEntry {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly load: () => Promise<{ command: () => Command }>;
}

interface OptionSpec {
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  readonly value: 'none' | 'any' | 'file' | 'folder' | readonly string[];
}

interface CommandSpec {
  /** `keys create`, or `speak`. */
  readonly path: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  readonly subcommands: ReadonlyArray<{ readonly name: string; readonly summary: string }>;
  readonly choices: readonly string[];
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const EXAMPLES = `
Examples:
  source <(tts completion bash)                                  in ~/.bashrc
  tts completion zsh > "\${fpath[1]}/_tts"                        once
  tts completion fish > ~/.config/fish/completions/tts.fish      once`;

export function command(entries: readonly CommandEntry[]): Command {
  return new Command('completion')
    .description('Prints a script that completes commands and options in your shell.')
    .addArgument(new Argument('<SHELL>', 'the shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action(async (shell: (typeof SHELLS)[number]) => {
      const known = await knownValues();
      const specs: CommandSpec[] = [];
      const top: Array<{ name: string; summary: string }> = [];
      for (const { name, alias, summary, load } of entries) {
        const loaded = name === 'completion' ? command([]) : (await load()).command();
        for (const called of alias ? [name, alias] : [name]) {
          specs.push(...specsOf(loaded, called, summary, known));
          top.push({ name: called, summary });
        }
      }
      process.stdout.write({ bash, zsh, fish }[shell](top, specs));
    });
}

/** Values an option may have that only a look at the machine tells, by the option's name. */
type KnownValues = Readonly<Record<string, readonly string[]>>;

async function knownValues(): Promise<KnownValues> {
  const voices = (await ownCatalogue(loadConfig().config)).all.map(({ voice }) => voice.id);
  return { voice: voices, preview: voices, model: SPEECH_MODELS };
}

function specsOf(source: Command, path: string, summary: string, known: KnownValues): CommandSpec[] {
  const subcommands = source.commands.map((sub) => ({
    name: sub.name(),
    summary: sub.summary() || firstSentence(sub),
  }));
  const own: CommandSpec = {
    path,
    summary,
    options: [...source.options.filter((option) => !option.hidden).map((option) => optionSpec(option, known)), HELP],
    subcommands,
    choices: source.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
  };
  const below = source.commands.flatMap((sub) => specsOf(sub, `${path} ${sub.name()}`, firstSentence(sub), known));
  return [own, ...below];
}

const HELP: OptionSpec = { long: '--help', short: '-h', description: 'show help', value: 'none' };

const firstSentence = (source: Command): string =>
  source
    .description()
    .split(/[.:;(]/)[0]!
    .trim();

function optionSpec(option: Option, known: KnownValues): OptionSpec {
  const setting = option instanceof SettingOption ? option.setting : undefined;
  const values = known[option.attributeName()] ?? setting?.choices ?? option.argChoices;
  const placeholder = /<(\w+)(?:\.\.\.)?>/.exec(option.flags)?.[1];
  const free = placeholder === 'FILE' ? 'file' : placeholder === 'DIR' ? 'folder' : 'any';
  return {
    long: option.long ?? option.short!,
    short: option.long ? option.short : undefined,
    description: setting?.description ?? option.description,
    value: option.required || option.optional ? (values ?? free) : 'none',
  };
}

type Top = ReadonlyArray<{ readonly name: string; readonly summary: string }>;

const flags = (options: readonly OptionSpec[]): string[] =>
  options.flatMap(({ long, short }) => (short ? [short, long] : [long]));

function bash(top: Top, specs: readonly CommandSpec[]): string {
  const values = new Map<string, string>();
  for (const { path, options } of specs) {
    for (const { long, short, value } of options) {
      if (value === 'none') continue;
      const reply =
        value === 'file' ? '-f' : value === 'folder' ? '-d' : value === 'any' ? '-W ""' : `-W "${value.join(' ')}"`;
      for (const flag of short ? [short, long] : [long]) values.set(`${path}:${flag}`, reply);
    }
  }
  const valueCases = [...values].map(
    ([key, reply]) => `    '${key}') COMPREPLY=($(compgen ${reply} -- "$cur")); return ;;`,
  );
  const wordCases = specs.map(({ path, options, subcommands, choices }) => {
    const words = [...subcommands.map(({ name }) => name), ...choices, ...flags(options)].join(' ');
    return `    '${path}') COMPREPLY=($(compgen -W "${words}" -- "$cur")) ;;`;
  });
  const nested = specs.filter(({ path }) => path.includes(' ')).map(({ path }) => `'${path}'`);
  return `# bash completion for tts
_tts() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path=\${COMP_WORDS[1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...top.map(({ name }) => name), 'help', '--help', '--version'].join(' ')}" -- "$cur"))
    return
  fi
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$path \${COMP_WORDS[2]}" in
      ${nested.length > 0 ? nested.join('|') : "''"}) path="$path \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$path:$prev" in
${valueCases.join('\n')}
  esac
  case "$path" in
${wordCases.join('\n')}
  esac
  # A word that is no option may be a file.
  if [ \${#COMPREPLY[@]} -eq 0 ] && [[ "$cur" != -* ]]; then COMPREPLY=($(compgen -f -- "$cur")); fi
}
complete -o filenames -F _tts tts
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function zsh(top: Top, specs: readonly CommandSpec[]): string {
  const described = (list: Top) => list.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(' ');
  const escaped = (text: string) => text.replace(/[[\]:\\]/g, '\\$&');
  const option = ({ long, short, description, value }: OptionSpec): string => {
    const action =
      value === 'none'
        ? ''
        : value === 'file'
          ? ':file:_files'
          : value === 'folder'
            ? ':folder:_files -/'
            : value === 'any'
              ? ':value:'
              : `:value:(${value.map(escaped).join(' ')})`;
    const tail = `[${escaped(description)}]${action}`;
    return (short ? [short, long] : [long]).map((flag) => quoted(`*${flag}${tail}`)).join(' ');
  };
  const bodies = specs.map(({ path, options, subcommands, choices }) => {
    const rest =
      subcommands.length > 0
        ? `'1:command:((${subcommands.map(({ name, summary }) => `${name}\\:"${escaped(summary).replaceAll("'", '')}"`).join(' ')}))'`
        : choices.length > 0
          ? `'1:value:(${choices.join(' ')})'`
          : "'*:file:_files'";
    return `    ${quoted(path)}) _arguments ${options.map(option).join(' ')} ${rest} ;;`;
  });
  const nested = specs.filter(({ path }) => path.includes(' ')).map(({ path }) => quoted(path));
  return `#compdef tts
_tts() {
  local -a commands
  commands=(${described(top)} 'help:show help for a command')
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local path_=$words[2]
  shift words; (( CURRENT-- ))
  if (( CURRENT > 2 )); then
    case "$path_ $words[2]" in
      ${nested.length > 0 ? nested.join('|') : "''"}) path_="$path_ $words[2]"; shift words; (( CURRENT-- )) ;;
    esac
  fi
  case "$path_" in
${bodies.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_tts" ]; then _tts "$@"; else compdef _tts tts; fi
`;
}

function fish(top: Top, specs: readonly CommandSpec[]): string {
  const q = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = [
    '# fish completion for tts',
    'complete -c tts -n __fish_use_subcommand -f -l version -d "print the version"',
    ...top.map(({ name, summary }) => `complete -c tts -n __fish_use_subcommand -f -a ${name} -d ${q(summary)}`),
  ];
  for (const { path, options, subcommands, choices } of specs) {
    const [first, second] = path.split(' ');
    const seen = `__fish_seen_subcommand_from ${first}${second ? `; and __fish_seen_subcommand_from ${second}` : ''}`;
    const base = `complete -c tts -n ${q(seen)}`;
    for (const { name, summary } of subcommands) lines.push(`${base} -f -a ${name} -d ${q(summary)}`);
    if (choices.length > 0) lines.push(`${base} -f -a ${q(choices.join(' '))}`);
    for (const { long, short, description, value } of options) {
      const names = `-l ${long.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}`;
      const kind =
        value === 'none'
          ? ''
          : value === 'file' || value === 'folder'
            ? ' -r -F'
            : value === 'any'
              ? ' -x'
              : ` -x -a ${q(value.join(' '))}`;
      lines.push(`${base} ${names}${kind} -d ${q(description)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
