/** The process that draws the live lines: states come in, the number of lines that stand goes out. Its libraries load beside the speech, not before it. */
import { render } from 'ink';
import { Live, lineCount } from './live.js';
import type { ScreenMessage } from './screen.js';

const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const KEPT_LEVELS = 64;

let app: ReturnType<typeof render> | undefined;
let levels: number[] = [];
let frame = 0;
let standing = 0;
let latest: Extract<ScreenMessage, { type: 'draw' }> | undefined;

function draw(): void {
  if (!latest) return;
  const { state, style } = latest;
  latest = undefined;
  levels = [...levels, state.level].slice(-KEPT_LEVELS);
  const spinner = SPINNER[frame++ % SPINNER.length]!;
  const view = (
    <Live state={state} columns={process.stderr.columns || 80} levels={levels} spinner={spinner} {...style} />
  );
  if (app) app.rerender(view);
  else app = render(view, { stdout: process.stderr, stderr: process.stderr, exitOnCtrlC: false, patchConsole: false });
  if (lineCount(state) === standing) return;
  standing = lineCount(state);
  process.send?.(standing);
}

function close(keep: boolean): void {
  if (!keep) app?.clear();
  app?.unmount();
  app = undefined;
}

// Ctrl-C is for the command, which then says what is to become of the lines.
process.on('SIGINT', () => undefined);
process.on('message', (message: ScreenMessage) => {
  if (message.type === 'draw') {
    // Of states that came faster than they can be drawn, only the last is.
    if (!latest) setImmediate(draw);
    latest = message;
  } else {
    if (message.keep) draw();
    latest = undefined;
    close(message.keep);
    // Not from inside the message: Node still has the channel in hand while it gives out those that came before.
    setImmediate(() => {
      if (process.connected) process.disconnect();
    });
  }
});
// The command is gone: leave the terminal as it was.
process.on('disconnect', () => close(true));
