/** `tts mcp`: the tools of an agent (Model Context Protocol) on stdin and stdout. */
import { tmpdir } from 'node:os';
import { Command } from 'commander';
import { systemClock } from '../../clock.js';
import type { Sources } from '../../config.js';
import { addSettings, settingsOf } from '../context.js';
import { untilInterrupted } from '../interrupt.js';
import { MachineHost } from '../mcp/machine-host.js';
import { withVoiceId } from '../names.js';
import { complain } from '../terminal.js';
import { packageVersion } from '../version.js';

const KEEP_MS = 60 * 60_000;
const MAX_RESULT_BYTES = 512 * 1024 * 1024;
const MAX_RESULTS = 64;
/** The one who runs the command. */
const OWNER = 'local';

const EXAMPLES = `
Programs with agents start it themselves. To add it to one:
  claude mcp add tts -- tts mcp
  code --add-mcp '{"name":"tts","command":"tts","args":["mcp"]}'

For others, the command is tts and its argument mcp; docs/clients.md has what each wants. Tools: speak (plays here, or writes
a file), list_voices, explain_reading, make_audiobook. What was made is kept for an hour as resources.
A running tts serve has the same tools at http://127.0.0.1:8787/mcp, with a key, and answers with links.`;

export function command(): Command {
  const mcp = new Command('mcp').description(
    'Lets agents speak: a server of the Model Context Protocol on stdin and stdout, for the program that starts it.',
  );
  addSettings(mcp, ['voice', 'model', 'server', 'apiKey', 'apiKeyFile', 'engine'], { voice: '-v', model: '-m' });
  addSettings(mcp, ['device', 'threads', 'modelDir', 'offline', 'lexicon', 'voicesDir', 'runtimeDir']);
  return addSettings(mcp, ['bookDir', 'bookMb'])
    .addHelpText('after', EXAMPLES)
    .action((_options: object, self: Command) =>
      untilInterrupted(async (signal) => serve(await withVoiceId(settingsOf(self)), signal)),
    );
}

async function serve(settings: Sources, signal: AbortSignal): Promise<void> {
  if (process.stdin.isTTY) complain('This is for programs with agents, which start it themselves: tts mcp --help.');
  const [{ createMcpServer }, { Results }, { StdioServerTransport }] = await Promise.all([
    import('../../mcp/mcp-server.js'),
    import('../../mcp/results.js'),
    import('@modelcontextprotocol/sdk/server/stdio.js'),
  ]);
  const bounds = { keepMs: KEEP_MS, maxBytes: MAX_RESULT_BYTES, maxPerOwner: MAX_RESULTS };
  const results = new Results({ dir: tmpdir(), clock: systemClock, ...bounds });
  const host = new MachineHost({ settings, results, owner: OWNER });
  const server = createMcpServer({ version: packageVersion(), host, results, owner: OWNER });
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  const stop = () => void server.close();
  // The program that started it has left.
  process.stdin.once('end', stop);
  process.stdin.once('close', stop);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await server.connect(new StdioServerTransport());
    await ended;
    signal.throwIfAborted();
  } finally {
    await host.close();
    await results.close();
    process.stdin.destroy();
  }
}
