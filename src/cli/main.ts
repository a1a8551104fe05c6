/** The entry of `tts`: finds the command, loads that one alone, and turns every failure into a line and an exit code. */
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { EXIT, isAbort, TtsError } from '../protocol/errors.js';

interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ command: () => Command }>;
}

/** One line each: the summary is all that `tts --help` needs, so that no command is loaded for it. */
const COMMANDS: readonly Entry[] = [
  { name: 'models', summary: 'fetch, check and remove the models', load: () => import('./models.js') },
  { name: 'keys', summary: 'make, list and revoke API keys, grant credits', load: () => import('./keys.js') },
  { name: 'usage', summary: 'what was spoken, by whom, and what it cost', load: () => import('./usage.js') },
  { name: 'db', summary: 'back up the accounts', load: () => import('./db.js') },
];

function program(): Command {
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  return new Command('tts')
    .description('Speaks text: a self-hosted speech server and its client in one command.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('(add --help for what is allowed)')
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
  if (isAbort(error)) return EXIT.interrupted;
  if (error instanceof TtsError) {
    process.stderr.write(`tts: ${error.message}\n`);
    if (process.env.TTS_DEBUG) process.stderr.write(`${error.stack}\n${String(error.cause ?? '')}\n`);
    return error.row.exit;
  }
  process.stderr.write(
    `tts: unexpected failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return EXIT.failed;
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of our pipe left: there is nobody to tell.
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

process.exitCode = await main(process.argv.slice(2));
