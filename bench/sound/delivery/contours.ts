/** The picture of a delivery: envelope, F0 and rests over time, one delivery above the other. */
import { SAMPLE_RATE } from '../../../src/protocol/audio.js';
import { escapeMarkup } from '../../../src/protocol/characters.js';
import type { Delivery } from './measure.js';
import { HOP_MS, semitones, voicedRuns } from './pitch-track.js';

/** Seconds of speech in a line of the picture, and its measures in pixels. */
const LINE_S = 15;
const WIDTH = 1_200;
const LEFT = 44;
const PITCH_HEIGHT = 110;
const WAVE_HEIGHT = 44;
const TEXT_HEIGHT = 16;
const LINE_HEIGHT = PITCH_HEIGHT + WAVE_HEIGHT + TEXT_HEIGHT + 10;
/** Semitones shown, around the median of both. */
const BELOW = 10;
const ABOVE = 14;
/** Columns of the envelope in a second. */
const COLUMNS_PER_S = 60;

const STYLE = `text{fill:#57606a}.wave{fill:#c8d1da}.rest{fill:#fff1c2}.pitch{fill:none;stroke:#0969da;stroke-width:1.6}
.grid{stroke:#eaeef2}.mark{stroke:#cf222e;stroke-dasharray:2 3}.said{font-size:10px}.question{fill:#cf222e}`;

interface Part {
  readonly fromMs: number;
  readonly top: number;
}

const x = (ms: number, { fromMs }: Part): number => LEFT + ((ms - fromMs) / 1_000) * ((WIDTH - LEFT - 8) / LINE_S);
const inside = (ms: number, { fromMs }: Part): number => Math.min(fromMs + LINE_S * 1_000, Math.max(fromMs, ms));

function envelope({ pcm }: Delivery, part: Part): string {
  const middle = part.top + PITCH_HEIGHT + WAVE_HEIGHT / 2;
  const column = SAMPLE_RATE / COLUMNS_PER_S;
  const points: string[] = [];
  const below: string[] = [];
  for (let at = 0; at < LINE_S * COLUMNS_PER_S; at++) {
    const from = Math.round((part.fromMs / 1_000) * SAMPLE_RATE + at * column);
    if (from >= pcm.length) break;
    let peak = 0;
    for (let i = from; i < Math.min(pcm.length, from + column); i++) peak = Math.max(peak, Math.abs(pcm[i]!));
    const height = (peak / 32_768) * (WAVE_HEIGHT / 2) * 1.4;
    const place = x(part.fromMs + (at * 1_000) / COLUMNS_PER_S, part).toFixed(1);
    points.push(`${place},${(middle - height).toFixed(1)}`);
    below.unshift(`${place},${(middle + height).toFixed(1)}`);
  }
  return `<polygon class="wave" points="${[...points, ...below].join(' ')}"/>`;
}

function contour({ track }: Delivery, part: Part, middle: number): string {
  const y = (hz: number) =>
    part.top + PITCH_HEIGHT - ((semitones(hz) - middle + BELOW) / (BELOW + ABOVE)) * PITCH_HEIGHT;
  const [from, to] = [part.fromMs / HOP_MS, Math.min(track.length, (part.fromMs + LINE_S * 1_000) / HOP_MS)];
  const lines: string[] = [];
  for (const [first, end] of voicedRuns(track.subarray(from, to))) {
    const points: string[] = [];
    for (let at = from + first; at < from + end; at++)
      points.push(`${x(at * HOP_MS, part).toFixed(1)},${y(track[at]!).toFixed(1)}`);
    lines.push(`<polyline class="pitch" points="${points.join(' ')}"/>`);
  }
  return lines.join('\n');
}

function grid(part: Part, middle: number): string {
  const lines: string[] = [];
  for (let step = -6; step <= 12; step += 6) {
    const y = part.top + PITCH_HEIGHT - ((step + BELOW) / (BELOW + ABOVE)) * PITCH_HEIGHT;
    const hz = 100 * 2 ** ((middle + step) / 12);
    lines.push(
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - 8}" y1="${y}" y2="${y}"/><text x="${LEFT - 4}" y="${y + 4}" text-anchor="end" font-size="10">${hz.toFixed(0)}</text>`,
    );
  }
  return lines.join('\n');
}

/** Rests as bands with their length, and the beginning of every sentence with its first words. */
function places({ rests, sentences }: Delivery, part: Part): string {
  const to = part.fromMs + LINE_S * 1_000;
  const height = PITCH_HEIGHT + WAVE_HEIGHT;
  const bands = rests
    .filter(({ startMs, endMs, place }) => endMs > part.fromMs && startMs < to && place !== 'none')
    .map(({ startMs, endMs, ms }) => {
      const [left, right] = [x(inside(startMs, part), part), x(inside(endMs, part), part)];
      const label =
        startMs >= part.fromMs ? `<text x="${left.toFixed(1)}" y="${part.top + 8}" font-size="8">${ms}</text>` : '';
      return `<rect class="rest" x="${left.toFixed(1)}" y="${part.top}" width="${(right - left).toFixed(1)}" height="${height}"/>${label}`;
    });
  const begins = sentences
    .filter(({ startMs }) => startMs >= part.fromMs && startMs < to)
    .map(({ startMs, endMs, text, asks }) => {
      const at = x(startMs, part);
      const room = Math.floor((x(Math.min(endMs, to), part) - at) / 5.2);
      const said = text.length > room ? `${text.slice(0, Math.max(3, room - 1))}…` : text;
      return `<line class="mark" x1="${at.toFixed(1)}" x2="${at.toFixed(1)}" y1="${part.top}" y2="${part.top + height}"/><text class="said${asks ? ' question' : ''}" x="${at.toFixed(1)}" y="${part.top + height + 11}">${escapeMarkup(said)}</text>`;
    });
  return [...bands, ...begins].join('\n');
}

/** One delivery a name, line by line: before above after. */
export function contoursPicture(
  title: string,
  named: readonly (readonly [name: string, delivery: Delivery])[],
): string {
  const middle = semitones(named[0]![1].melody.medianHz);
  const lines = Math.ceil(Math.max(...named.map(([, { seconds }]) => seconds)) / LINE_S);
  const drawn: string[] = [];
  let top = 40;
  for (let line = 0; line < lines; line++) {
    for (const [name, delivery] of named) {
      const part = { fromMs: line * LINE_S * 1_000, top };
      drawn.push(
        places(delivery, part),
        grid(part, middle),
        envelope(delivery, part),
        contour(delivery, part, middle),
        `<text x="2" y="${top + PITCH_HEIGHT + WAVE_HEIGHT / 2 + 4}" font-size="10" font-weight="600">${escapeMarkup(name)}</text>`,
      );
      top += LINE_HEIGHT;
    }
    top += 12;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" font-family="system-ui, sans-serif" font-size="12">
<title>${escapeMarkup(title)}</title>
<style>${STYLE}</style>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="${LEFT}" y="22" font-weight="600">${escapeMarkup(title)}: F0 in Hz, envelope, rests in ms (${LINE_S} s a line)</text>
${drawn.join('\n')}
</svg>
`;
}
