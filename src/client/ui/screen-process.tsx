/** The process that draws the live lines, so that its libraries do not delay the speech. */
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

// On Ctrl-C the command decides whether the lines stay.
process.on('SIGINT', () => undefined);
process.on('message', (message: ScreenMessage) => {
  if (message.type === 'draw') {
    // Of states that arrive faster than they are drawn, only the last one is drawn.
    if (!latest) setImmediate(draw);
    latest = message;
  } else {
    if (message.keep) draw();
    latest = undefined;
    close(message.keep);
    // Not within the message's handler: Node still uses the channel for earlier messages.
    setImmediate(() => {
      if (process.connected) process.disconnect();
    });
  }
});
// The command has ended: the terminal stays as it is.
process.on('disconnect', () => close(true));
