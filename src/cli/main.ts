/** The entry of `tts`: loads the command that was named, and reports failures with an exit code. */
import { existsSync } from 'node:fs';
import { Command, CommanderError, type Option } from 'commander';
import { EXIT, isAbort, TtsError } from '../protocol/errors.js';
import { Interrupted } from './interrupt.js';
import { complain, fittedHelp } from './terminal.js';
import { packageVersion } from './version.js';

interface Entry {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly load: () => Promise<{ command: () => Command }>;
}

/** `tts --help` needs the summaries alone, so that no command is loaded for it. */
const COMMANDS: readonly Entry[] = [
  { name: 'serve', summary: 'run the speech server', load: () => import('./commands/serve.js') },
  { name: 'worker', summary: 'speak for gateways on other machines', load: () => import('./commands/worker.js') },
  {
    name: 'speak',
    alias: 'say',
    summary: 'say a text, or write it to a sound file',
    load: () => import('./commands/speak.js'),
  },
  { name: 'book', summary: 'make an audiobook of an EPUB', load: () => import('./commands/book.js') },
  { name: 'jobs', summary: 'order speech from a server, fetch it later', load: () => import('./commands/jobs.js') },
  { name: 'stream', summary: 'speak text while it is still arriving', load: () => import('./commands/stream.js') },
  {
    name: 'wyoming',
    summary: 'speak for Home Assistant beside a server elsewhere',
    load: () => import('./commands/wyoming.js'),
  },
  {
    name: 'speechd-module',
    summary: 'speak for screen readers, over speech-dispatcher',
    load: () => import('./commands/speechd-module.js'),
  },
  { name: 'voices', summary: 'list the voices and hear them', load: () => import('./commands/voices.js') },
  { name: 'explain', summary: 'show how a text will be read', load: () => import('./commands/explain.js') },
  { name: 'mcp', summary: 'let agents speak: a server of MCP on stdio', load: () => import('./commands/mcp.js') },
  { name: 'models', summary: 'fetch, check and remove the models', load: () => import('./commands/models.js') },
  {
    name: 'keys',
    summary: 'make, list and revoke API keys, grant credits',
    load: () => import('./commands/accounts/keys.js'),
  },
  {
    name: 'admin',
    summary: "the secret of the server's dashboard",
    load: () => import('./commands/accounts/admin.js'),
  },
  {
    name: 'usage',
    summary: 'what was spoken, by whom, and what it cost',
    load: () => import('./commands/accounts/usage.js'),
  },
  { name: 'requests', summary: 'what became of each request', load: () => import('./commands/accounts/requests.js') },
  { name: 'db', summary: 'back up and check the accounts', load: () => import('./commands/accounts/db.js') },
  { name: 'bench', summary: 'how many live listeners this machine carries', load: () => import('./commands/bench.js') },
  { name: 'doctor', summary: 'check this machine and say what to do', load: () => import('./commands/doctor.js') },
  {
    name: 'config',
    summary: 'show every setting and where it came from, or set one',
    load: () => import('./commands/config.js'),
  },
  {
    name: 'completion',
    summary: 'complete commands and options in your shell',
    load: async () => {
      const { command } = await import('./commands/completion.js');
      return { command: () => command(COMMANDS) };
    },
  },
  {
    name: 'man',
    summary: 'print the manual page',
    load: async () => {
      const { command } = await import('./commands/man.js');
      return { command: () => command(COMMANDS) };
    },
  },
  {
    name: 'version',
    summary: 'print the version',
    load: async () => ({
      command: () =>
        new Command('version')
          .description('Prints the version.')
          .action(() => void process.stdout.write(`${packageVersion()}\n`)),
    }),
  },
];

/** For a person who typed the name of the program and nothing else. */
const WELCOME = `tts speaks text on this machine, and nothing you say leaves it.

  tts speak "Hello there."      say it; -o hello.mp3 writes a file instead
  llm "A story" | tts stream    speak while the text is still being written
  tts serve                     a speech server, with a page to try it in

tts voices lists the voices, tts --help every command.
`;

const EXAMPLES = `
Examples:
  tts speak "Hello there."                  say it
  tts speak -f story.txt -o story.wav       write a sound file
  llm "Tell me a story" | tts stream        speak while it is being written
  tts voices                                who can speak
  tts serve                                 a speech server on this machine
  tts doctor                                check this machine

Documentation: docs/ in the package (docs/README.md), and /docs of a running server (http://127.0.0.1:8787/docs).

Exit codes: 0 done, 1 failed, 2 usage, 3 no connection or it broke, 4 key refused, 5 credits or limits,
6 model missing or broken, 7 no sound device, 8 engine failed, 130 interrupted.`;

function program(): Command {
  return withManners(new Command('tts'))
    .description('Speaks text: a self-hosted speech server and its client in one command.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', EXAMPLES);
}

/** Mistakes on the command line are thrown, and reported like any other failure. */
function withManners(command: Command): Command {
  command
    .exitOverride()
    .helpOption('-h, --help', 'show help')
    .configureOutput({ outputError: () => undefined, writeOut: (text) => process.stdout.write(fittedHelp(text)) })
    .configureHelp({ optionDescription, minWidthToWrap: 20 });
  for (const sub of command.commands) withManners(sub);
  return command;
}

/** Choices are written as those of the settings are. */
const optionDescription = ({ description, argChoices }: Option): string =>
  argChoices ? `${description} (${argChoices.join('|')})` : description;

async function main(argv: readonly string[]): Promise<number> {
  const root = program();
  const words = argv.filter((word) => !word.startsWith('-'));
  const wanted = words[0] === 'help' ? words[1] : words[0];
  const isWanted = ({ name, alias }: Entry) => wanted !== undefined && (name === wanted || alias === wanted);
  for (const entry of COMMANDS) {
    const command = isWanted(entry) ? withManners((await entry.load()).command()) : new Command(entry.name);
    root.addCommand(command.summary(entry.summary));
    if (entry.alias) command.alias(entry.alias);
  }
  try {
    if (argv.length === 0) {
      if (process.stdin.isTTY && process.stdout.isTTY) {
        process.stdout.write(WELCOME);
        return EXIT.done;
      }
      root.outputHelp({ error: true });
      return EXIT.usage;
    }
    if (words[0] !== undefined && words[0] === argv[0] && words[0] !== 'help' && !COMMANDS.some(isWanted)) {
      refuseText(words[0], argv);
    }
    await root.parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    return report(error, COMMANDS.find(isWanted)?.name);
  }
}

/** What stands where a command should and is something to say gets the command that says it. */
function refuseText(first: string, argv: readonly string[]): void {
  if (existsSync(first))
    throw new TtsError('usage', `${first} is a file. To have it read: tts speak -f ${argv.join(' ')}`);
  if (/\s/.test(first)) throw new TtsError('usage', `To say that: tts speak "${first}"`);
}

function report(error: unknown, command: string | undefined): number {
  if (error instanceof CommanderError) return reportUsage(error, command);
  if (error instanceof Interrupted) return error.exitCode;
  if (isAbort(error)) return EXIT.interrupted;
  if (readerLeft(error)) return EXIT.done;
  if (error instanceof TtsError) {
    complain(`${error.message}${error.requestId ? ` (request ${error.requestId})` : ''}`);
    if (process.env.TTS_DEBUG) process.stderr.write(`${error.stack}\n${String(error.cause ?? '')}\n`);
    return error.row.exit;
  }
  complain(`unexpected failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return EXIT.failed;
}

function reportUsage({ code, exitCode, message }: CommanderError, command: string | undefined): number {
  if (exitCode === 0) return EXIT.done;
  // The help that a command without its subcommand gets says everything.
  if (code === 'commander.help') return EXIT.usage;
  const [said = '', guess = ''] = message.replace(/^error: /, '').split(/\n\(|\)$/);
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}`.replace(/[^.?!]$/, '$&.');
  const meant = code === 'commander.unknownOption' ? meaningOf(/'(.*)'/s.exec(said)?.[1] ?? '', command) : undefined;
  const help = `See tts ${command ? `${command} ` : ''}--help.`;
  complain([sentence, ...(meant ? [meant] : [guess, help])].filter(Boolean).join(' '));
  return EXIT.usage;
}

/** What people mean by an option that is none. */
function meaningOf(flag: string, command = 'speak'): string | undefined {
  if (/^--?(rate|tempo)$/.test(flag)) return 'How fast it is spoken is set with --speed.';
  if (/^--?pitch$/.test(flag)) return 'Pitch cannot be changed; --speed can.';
  if (/^-\d|\s/.test(flag)) return `A text that begins with a dash stands after two: tts ${command} -- "${flag}"`;
  return undefined;
}

/** The reader of a pipe has left: there is nobody to tell, and nothing wrong. */
const readerLeft = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as NodeJS.ErrnoException).code === 'EPIPE' || (error.cause instanceof Error && readerLeft(error.cause)));

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A command that listens itself has things to put away first.
  if (process.stdout.listenerCount('error') > 1) return;
  if (readerLeft(error)) process.exit(EXIT.done);
  throw error;
});

const exitCode = await main(process.argv.slice(2));
// Stopped means stopped: whatever is still open is not waited for.
if (exitCode > 128) process.exit(exitCode);
process.exitCode = exitCode;
