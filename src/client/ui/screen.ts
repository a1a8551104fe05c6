/** The live lines of a command: reads its state several times a second, for a process to draw. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Snapshot } from '../progress.js';

interface ScreenStyle {
  readonly color: boolean;
  /** Highlight words as they are spoken. */
  readonly show: boolean;
  /** The text is SSML. */
  readonly ssml: boolean;
}

export interface ScreenOptions {
  readonly style: ScreenStyle;
  readonly snapshot: () => Snapshot;
  /** The process id of the drawing process. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Screen {
  /**
   * Draws the last state and keeps it, or clears the lines. Resolves when the terminal is free,
   * with whether lines are left on it.
   */
  close(keep: boolean): Promise<boolean>;
}

export type ScreenMessage =
  | { readonly type: 'draw'; readonly state: Snapshot; readonly style: ScreenStyle }
  | { readonly type: 'close'; readonly keep: boolean };

const FRAME_MS = 80;
/** How long an end waits for the drawing process (ms): longer where its lines are kept. */
const KEEP_MS = 3_000;
const CLEAR_MS = 600;
const SHOW_CURSOR = '\u001b[?25h';
const clearLines = (lines: number): string => (lines > 0 ? `\u001b[${lines}A\u001b[J` : '');

function beModest(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended, or the system has no priorities: it draws as it is.
  }
}

export function openScreen({ style, snapshot, env }: ScreenOptions): Screen {
  const child = fork(fileURLToPath(new URL('./screen-process.js', import.meta.url)), [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...env, NODE_ENV: 'production', FORCE_COLOR: style.color ? '1' : '0' },
    execArgv: [],
  });
  // A drawing process that fails must not end the speech, and has a lower priority.
  child.on('error', () => undefined);
  if (child.pid !== undefined) beModest(child.pid);
  let standing = 0;
  child.on('message', (lines: number) => {
    standing = lines;
  });
  const send = (message: ScreenMessage) => {
    if (child.connected) child.send(message, () => undefined);
  };
  const draw = () => send({ type: 'draw', state: snapshot(), style });
  const timer = setInterval(draw, FRAME_MS);

  return {
    async close(keep) {
      clearInterval(timer);
      if (child.exitCode !== null || child.signalCode !== null) return false;
      const exited = once(child, 'exit');
      if (keep) draw();
      send({ type: 'close', keep });
      let late: NodeJS.Timeout | undefined;
      const limit = new Promise<'late'>((resolve) => {
        late = setTimeout(resolve, keep ? KEEP_MS : CLEAR_MS, 'late');
      });
      const end = await Promise.race([exited, limit]);
      clearTimeout(late);
      if (end !== 'late') return true;
      child.kill('SIGKILL');
      await exited;
      // Its last drawing is of an earlier moment.
      process.stderr.write(`${clearLines(standing)}${SHOW_CURSOR}`);
      return false;
    },
  };
}
