/**
 * Starts the process of an engine before anything else of a command is loaded, where the command
 * line and the settings say that it is going to speak by itself. An engine takes as long to start
 * as all else that a command does, so both load side by side. Where the guess is wrong, the process
 * ends unused.
 */
import { readdirSync } from 'node:fs';
import { isAlive } from '../alive.js';
import { loadConfig } from '../config.js';
import { RUNTIME_FILE } from '../protocol/runtime.js';

const SPEAKING = ['speak', 'say', 'stream'];
/** Options of a command that tells something, or that speaks through a server elsewhere. */
const NOT_HERE = /^(?:-h|--help|--list-devices|--server(?:=.*)?)$/;

/** Whether a server of this machine, which would speak instead, left its file. */
function hasServer(runtimeDir: string): boolean {
  try {
    return readdirSync(runtimeDir).some((name) => {
      const found = RUNTIME_FILE.exec(name);
      return found !== null && (found[1] === undefined || isAlive(Number(found[1])));
    });
  } catch {
    return false;
  }
}

function speaksByItself([command = '', ...others]: readonly string[]): boolean {
  if (!SPEAKING.includes(command) || others.some((word) => NOT_HERE.test(word))) return false;
  try {
    const { server, engine, runtimeDir } = loadConfig().config;
    return server === '' && engine === 'kokoro' && !hasServer(runtimeDir);
  } catch {
    // What is wrong with the settings is told by the command.
    return false;
  }
}

if (speaksByItself(process.argv.slice(2))) (await import('../gateway/workers/fork-engine.js')).forkAhead();
