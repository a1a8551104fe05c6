/** The entry of `tts`: finds the command, loads that one alone, and turns every failure into a line and an exit code. */
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { EXIT, isAbort, TtsError } from '../protocol/errors.js';
import { Interrupted } from './interrupt.js';

interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ command: () => Command }>;
}

/** One line each: the summary is all that `tts --help` needs, so that no command is loaded for it. */
const COMMANDS: readonly Entry[] = [
  { name: 'serve', summary: 'run the speech server', load: () => import('./serve.js') },
  { name: 'speak', summary: 'say a text, or write it to a sound file', load: () => import('./speak.js') },
  { name: 'stream', summary: 'speak text while it is still arriving', load: () => import('./stream.js') },
  { name: 'voices', summary: 'list the voices and hear them', load: () => import('./voices.js') },
  { name: 'explain', summary: 'show how a text will be read', load: () => import('./explain.js') },
  { name: 'models', summary: 'fetch, check and remove the models', load: () => import('./models.js') },
  { name: 'keys', summary: 'make, list and revoke API keys, grant credits', load: () => import('./keys.js') },
  { name: 'usage', summary: 'what was spoken, by whom, and what it cost', load: () => import('./usage.js') },
  { name: 'db', summary: 'back up and check the accounts', load: () => import('./db.js') },
  { name: 'doctor', summary: 'check this machine and say what to do', load: () => import('./doctor.js') },
  { name: 'config', summary: 'show every setting and where it came from', load: () => import('./config.js') },
  {
    name: 'completion',
    summary: 'complete commands and options in your shell',
    load: async () => {
      const { command } = await import('./completion.js');
      return { command: () => command(COMMANDS) };
    },
  },
  {
    name: 'man',
    summary: 'print the manual page',
    load: async () => {
      const { command } = await import('./man.js');
      return { command: () => command(COMMANDS) };
    },
  },
];

const EXAMPLES = `
Examples:
  tts speak "Hello there."                  say it
  tts speak -f story.txt -o story.wav       write a sound file
  llm "Tell me a story" | tts stream        speak while it is being written
  tts voices                                who can speak
  tts serve                                 a speech server on this machine
  tts doctor                                check this machine

Exit codes: 0 done, 1 failed, 2 usage, 3 no connection or it broke, 4 key refused, 5 credits or limits,
6 model missing or broken, 7 no sound device, 8 engine failed, 130 interrupted.`;

function program(): Command {
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  return new Command('tts')
    .description('Speaks text: a self-hosted speech server and its client in one command.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('(add --help for what is allowed)')
    .addHelpText('after', EXAMPLES)
    .exitOverride();
}

/** A command's own subcommands were made before it joined the program: they take over its manners here. */
function adopt(command: Command): Command {
  command.exitOverride().showHelpAfterError('(add --help for what is allowed)');
  for (const sub of command.commands) adopt(sub);
  return command;
}

async function main(argv: readonly string[]): Promise<number> {
  const root = program();
  const words = argv.filter((word) => !word.startsWith('-'));
  const wanted = words[0] === 'help' ? words[1] : words[0];
  for (const entry of COMMANDS) {
    if (entry.name === wanted) root.addCommand(adopt((await entry.load()).command().summary(entry.summary)));
    else root.command(entry.name).summary(entry.summary);
  }
  try {
    if (argv.length === 0) {
      root.outputHelp({ error: true });
      return EXIT.usage;
    }
    await root.parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    return report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof Interrupted) return error.exitCode;
  if (isAbort(error)) return EXIT.interrupted;
  if (readerLeft(error)) return EXIT.done;
  if (error instanceof TtsError) {
    const id = error.requestId ? ` (request ${error.requestId})` : '';
    process.stderr.write(`tts: ${error.message}${id}\n`);
    if (process.env.TTS_DEBUG) process.stderr.write(`${error.stack}\n${String(error.cause ?? '')}\n`);
    return error.row.exit;
  }
  process.stderr.write(
    `tts: unexpected failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return EXIT.failed;
}

/** Whoever read our output has had enough: there is nobody to tell, and nothing wrong. */
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
