/** The live lines as a command sees them: it is asked for its state a few times a second, and a process draws it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Snapshot } from '../progress.js';

interface ScreenStyle {
  readonly color: boolean;
  /** Light up the words as they are spoken. */
  readonly show: boolean;
  /** The text carries markup. */
  readonly ssml: boolean;
}

export interface ScreenOptions {
  readonly style: ScreenStyle;
  readonly snapshot: () => Snapshot;
  /** Of the drawing process. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Screen {
  /** Draws the last state and leaves it standing, or takes the lines away. Resolves, with whether any stand, when the terminal is free. */
  close(keep: boolean): Promise<boolean>;
}

export type ScreenMessage =
  | { readonly type: 'draw'; readonly state: Snapshot; readonly style: ScreenStyle }
  | { readonly type: 'close'; readonly keep: boolean };

const FRAME_MS = 80;
/** A screen that has not managed to draw by then is not waited for. What stays standing is worth more patience. */
const KEEP_MS = 3_000;
const CLEAR_MS = 600;
const SHOW_CURSOR = '\u001b[?25h';
const clearLines = (lines: number): string => (lines > 0 ? `\u001b[${lines}A\u001b[J` : '');

function beModest(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It is gone already, or the system has no such thing: then it draws as it is.
  }
}

export function openScreen({ style, snapshot, env }: ScreenOptions): Screen {
  const child = fork(fileURLToPath(new URL('./screen-process.js', import.meta.url)), [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...env, NODE_ENV: 'production', FORCE_COLOR: style.color ? '1' : '0' },
    execArgv: [],
  });
  // A screen that fails is no reason to fall silent, and speaking comes before drawing.
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
      // What it last drew is of an earlier moment.
      process.stderr.write(`${clearLines(standing)}${SHOW_CURSOR}`);
      return false;
    },
  };
}
