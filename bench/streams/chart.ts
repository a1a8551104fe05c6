/** The picture of `streams`: what is carried, against the speed of the machine. */

export interface Bar {
  readonly label: string;
  readonly streams: number;
  /** Saturated speed of the machine, as a multiple of real time. */
  readonly frame: number;
}

/** One bar for each row, with the saturated speed as its frame. */
export function chart(bars: readonly Bar[]): string {
  const [width, height, left, top] = [860, 30, 400, 44];
  const scaleOf = ({ frame }: Bar) => (width - left - 70) / (1.1 * frame);
  const drawn = bars.map((bar, index) => {
    const y = top + index * height;
    const [scale, streams] = [scaleOf(bar), bar.streams];
    return `<text x="${left - 12}" y="${y + 15}" text-anchor="end">${bar.label}</text>
<rect x="${left}" y="${y}" width="${(bar.frame * scale).toFixed(1)}" height="20" class="frame"/>
<rect x="${left}" y="${y}" width="${(streams * scale).toFixed(1)}" height="20" class="bar"/>
<text x="${(left + Math.max(bar.frame, streams) * scale + 8).toFixed(1)}" y="${y + 15}">${streams.toFixed(streams % 1 === 0 ? 0 : 1)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + bars.length * height + 8}" font-family="system-ui, sans-serif" font-size="13">
<title>Live streams without a stall</title>
<style>text{fill:#57606a}.bar{fill:#2f81f7}.frame{fill:none;stroke:#8c959f;stroke-dasharray:3 3}</style>
<text x="12" y="24" font-weight="600">Live streams without a stall (frame: × real time when saturated)</text>
${drawn.join('\n')}
</svg>
`;
}
