/** Puts the live lines on a terminal and keeps them fresh: asks for the state, draws it, tells nobody anything. */
import { render } from 'ink';
import type { Snapshot } from '../progress.js';
import { Live } from './live.js';

export interface ScreenOptions {
  readonly stream: NodeJS.WriteStream;
  readonly color: boolean;
  readonly show: boolean;
  readonly snapshot: () => Snapshot;
}

export interface Screen {
  /** Draws the last state and leaves it standing, or takes the lines away. */
  close(keep: boolean): void;
}

const FRAME_MS = 80;
const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const KEPT_LEVELS = 64;

export function openScreen({ stream, color, show, snapshot }: ScreenOptions): Screen {
  let levels: number[] = [];
  let frame = 0;
  const view = () => {
    const state = snapshot();
    levels = [...levels, state.level].slice(-KEPT_LEVELS);
    const spinner = SPINNER[frame++ % SPINNER.length]!;
    return (
      <Live state={state} columns={stream.columns || 80} color={color} levels={levels} spinner={spinner} show={show} />
    );
  };
  const app = render(view(), {
    stdout: stream,
    stderr: stream,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const timer = setInterval(() => app.rerender(view()), FRAME_MS);
  return {
    close(keep) {
      clearInterval(timer);
      if (keep) app.rerender(view());
      else app.clear();
      app.unmount();
    },
  };
}
