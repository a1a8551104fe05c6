/**
 * The picture in the README: runs a command in a real terminal (tmux), looks at it ten times a
 * second, and writes what it saw as an SVG that moves.
 *
 *   npm run bench -- picture docs/speak.svg 'tts speak "Hello there."' [--columns 84] [--rows 6]
 *                            [--seconds 12]
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const FRAME_MS = 100;
const CELL = { width: 8.43, height: 20 };
const PADDING = 16;
const INK = '#d8dee9';
const PAPER = '#1e222a';
const COLOURS: Record<number, string> = {
  31: '#e06c75',
  32: '#98c379',
  33: '#e5c07b',
  34: '#61afef',
  35: '#c678dd',
  36: '#56b6c2',
};

const tmux = (...args: string[]): string => execFileSync('tmux', ['-L', 'tts-picture', ...args], { encoding: 'utf8' });

export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      columns: { type: 'string', default: '84' },
      rows: { type: 'string', default: '6' },
      seconds: { type: 'string', default: '12' },
    },
  });
  const [file = 'speak.svg', command = 'tts --help'] = positionals;
  const bin = path.resolve(import.meta.dirname, '../../bin/tts.js');
  const shell = `PS1='$ '; tts() { ${process.execPath} ${bin} "$@"; }`;
  tmux('new-session', '-d', '-x', values.columns, '-y', values.rows, 'bash --norc -i');
  const frames: Array<{ screen: string; ms: number }> = [];
  try {
    tmux('send-keys', '-l', '--', `${shell}; clear\n`);
    await sleep(800);
    const look = () => {
      const screen = tmux('capture-pane', '-e', '-p').trimEnd();
      const last = frames.at(-1);
      if (last?.screen === screen) last.ms += FRAME_MS;
      else frames.push({ screen, ms: FRAME_MS });
    };
    look();
    // Typed as a person would.
    for (const key of command.match(/.{1,3}/gs)!) {
      tmux('send-keys', '-l', '--', key);
      await sleep(FRAME_MS / 2);
      look();
    }
    tmux('send-keys', 'Enter');
    const prompt = () => /\n\$ *$/.test(tmux('capture-pane', '-p').trimEnd());
    for (let ms = 0; ms < Number(values.seconds) * 1000 && !prompt(); ms += FRAME_MS) {
      await sleep(FRAME_MS);
      look();
    }
    look();
    frames.at(-1)!.ms += 2_000;
  } finally {
    tmux('kill-server');
  }
  writeFileSync(file, svg(frames, Number(values.columns), Number(values.rows)));
}

function svg(frames: ReadonlyArray<{ screen: string; ms: number }>, columns: number, rows: number): string {
  const width = Math.round(columns * CELL.width + PADDING * 2);
  const height = Math.round(rows * CELL.height + PADDING * 2);
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  let at = 0;
  const groups = frames.map(({ screen, ms }, index) => {
    const begin = (at / total) * 100;
    at += ms;
    const end = (at / total) * 100;
    const steps = `@keyframes f${index}{0%{visibility:hidden}${begin.toFixed(2)}%{visibility:visible}${end.toFixed(2)}%,100%{visibility:hidden}}`;
    const last = index === frames.length - 1;
    const style = `#f${index}{visibility:${last ? 'visible' : 'hidden'};animation:f${index} ${total}ms step-end infinite}`;
    return { style: `${steps}${style}`, body: `<g id="f${index}">${linesOf(screen)}</g>` };
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="tts speaking in a terminal">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${INK};white-space:pre}${groups.map(({ style }) => style).join('')}</style>
<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>
${groups.map(({ body }) => body).join('\n')}
</svg>
`;
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function linesOf(screen: string): string {
  return screen
    .split('\n')
    .map((line, row) => {
      const y = PADDING + row * CELL.height + 15;
      return line.trim() === '' ? '' : `<text x="${PADDING}" y="${y}" xml:space="preserve">${spans(line)}</text>`;
    })
    .join('');
}

/**
 * Colours, bold and faint; the rest of what a terminal can do does not occur in a captured screen.
 */
function spans(line: string): string {
  let style = '';
  let result = '';
  // biome-ignore lint/complexity/useRegexLiterals: the escape character is clearer by name
  for (const part of line.split(new RegExp('(\\u001b\\[[0-9;]*m)'))) {
    if (!part.startsWith('\u001b')) {
      if (part !== '') result += style === '' ? escapeXml(part) : `<tspan ${style}>${escapeXml(part)}</tspan>`;
      continue;
    }
    for (const code of part.slice(2, -1).split(';').map(Number)) {
      if (code === 0 || code === 22 || code === 39) style = '';
      else if (code === 1) style = 'font-weight="bold"';
      else if (code === 2) style = 'opacity="0.55"';
      else if (COLOURS[code]) style = `fill="${COLOURS[code]}"`;
    }
  }
  return result;
}
