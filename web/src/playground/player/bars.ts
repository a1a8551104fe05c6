/** Draws a recording as bars; those that were heard in the page's colour. */
import type { Recording } from '../../audio/recording.js';

const BAR = 3;
const GAP = 2;

export interface Bars {
  readonly recording: Recording;
  /** Samples that the width stands for. */
  readonly samples: number;
  /** The sample that is heard. */
  readonly heard: number;
}

export function paintBars(canvas: HTMLCanvasElement, { recording, samples, heard }: Bars): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext('2d')!;
  const style = getComputedStyle(canvas);
  const [ink, faint] = [style.getPropertyValue('--accent'), style.getPropertyValue('--wave')];
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const bars = Math.max(1, Math.floor(width / (BAR + GAP)));
  const each = samples / bars;
  for (let bar = 0; bar < bars; bar++) {
    const peak = recording.peak(bar * each, (bar + 1) * each);
    const tall = Math.max(2, Math.min(1, peak * 1.5) * (height - 4));
    context.fillStyle = bar * each < heard ? ink : faint;
    context.beginPath();
    context.roundRect(bar * (BAR + GAP), (height - tall) / 2, BAR, tall, BAR / 2);
    context.fill();
  }
}
