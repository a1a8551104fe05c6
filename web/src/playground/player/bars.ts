/** Draws a recording as bars; those that were heard in the page's colour. */
import type { Recording } from '../../audio/recording.js';

const BAR = 3;
const GAP = 2;
/** What a canvas shows: the same picture is not painted again. */
const PAINTED = new WeakMap<HTMLCanvasElement, { readonly of: Recording; readonly picture: string }>();

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
  const bars = Math.max(1, Math.floor(width / (BAR + GAP)));
  const each = samples / bars;
  const length = recording.length.peek();
  const style = getComputedStyle(canvas);
  const [ink, faint] = [style.getPropertyValue('--accent'), style.getPropertyValue('--wave')];
  const isWhole = recording.finished.peek();
  const picture = [width, height, scale, ink, Math.ceil(heard / each), Math.floor(length / each), isWhole].join();
  const painted = PAINTED.get(canvas);
  if (painted?.of === recording && painted.picture === picture) return;
  PAINTED.set(canvas, { of: recording, picture });
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext('2d')!;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  for (let bar = 0; bar < bars; bar++) {
    const peak = recording.peak(bar * each, (bar + 1) * each);
    const tall = Math.max(2, Math.min(1, peak * 1.5) * (height - 4));
    context.fillStyle = bar * each < heard ? ink : faint;
    context.beginPath();
    context.roundRect(bar * (BAR + GAP), (height - tall) / 2, BAR, tall, BAR / 2);
    context.fill();
  }
}
