/** The audio as bars with the current position, which a click or the arrow keys change. */
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { PEAK_SAMPLES, SAMPLE_RATE } from '../audio/recording.js';
import { duration } from '../shared/format.js';
import type { Run } from './run.js';
import { player, playFrom } from './state.js';

const BAR = 3;
const GAP = 2;
const STEP = SAMPLE_RATE * 2;

export function Waveform({ run }: { readonly run: Run }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { recording } = run;
  const draw = () => {
    const element = canvas.current;
    if (element) paint(element, run);
  };
  useSignalEffect(() => {
    recording.length.value;
    recording.finished.value;
    if (!player.playing.value) {
      draw();
      return undefined;
    }
    let frame = requestAnimationFrame(function next() {
      draw();
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  });
  useEffect(() => {
    const observer = new ResizeObserver(draw);
    observer.observe(canvas.current!);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', draw);
    };
  }, [run]);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: STEP, ArrowUp: STEP, ArrowLeft: -STEP, ArrowDown: -STEP }[event.key];
    const to = step === undefined ? { Home: 0, End: recording.length.peek() }[event.key] : player.position() + step;
    if (to === undefined) return;
    event.preventDefault();
    playFrom(Math.max(0, Math.min(to, recording.length.peek())));
  };
  const length = recording.length.value;
  return (
    <canvas
      ref={canvas}
      class="wave"
      role="slider"
      tabIndex={0}
      aria-label="Position"
      aria-valuemin={0}
      aria-valuemax={Math.round(length / SAMPLE_RATE)}
      aria-valuenow={Math.min(Math.round(player.position() / SAMPLE_RATE), Math.round(length / SAMPLE_RATE))}
      aria-valuetext={`${duration((player.position() / SAMPLE_RATE) * 1000)} of ${duration((length / SAMPLE_RATE) * 1000)}`}
      onKeyDown={onKey}
      onClick={(event) => {
        const { left, width } = event.currentTarget.getBoundingClientRect();
        const share = (event.clientX - left) / width;
        playFrom(Math.round(share * shownSamples(run)));
      }}
    />
  );
}

/** Samples that the width stands for; for audio still to come, estimated from the text. */
function shownSamples({ recording, text }: Run): number {
  const length = recording.length.peek();
  return recording.finished.peek() ? length : Math.max(length, (text.peek().length * SAMPLE_RATE) / 15);
}

function paint(canvas: HTMLCanvasElement, run: Run): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = devicePixelRatio || 1;
  if (canvas.width !== width * scale || canvas.height !== height * scale) {
    canvas.width = width * scale;
    canvas.height = height * scale;
  }
  const context = canvas.getContext('2d')!;
  const style = getComputedStyle(canvas);
  const [ink, faint] = [style.getPropertyValue('--accent'), style.getPropertyValue('--wave')];
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const bars = Math.max(1, Math.floor(width / (BAR + GAP)));
  const perBar = shownSamples(run) / bars / PEAK_SAMPLES;
  const heard = player.position() / PEAK_SAMPLES;
  for (let bar = 0; bar < bars; bar++) {
    let peak = 0;
    for (let at = Math.floor(bar * perBar); at < Math.max((bar + 1) * perBar, bar * perBar + 1); at++) {
      peak = Math.max(peak, run.recording.peaks[at] ?? 0);
    }
    const tall = Math.max(2, Math.min(1, peak * 1.5) * (height - 4));
    context.fillStyle = bar * perBar < heard ? ink : faint;
    context.beginPath();
    context.roundRect(bar * (BAR + GAP), (height - tall) / 2, BAR, tall, BAR / 2);
    context.fill();
  }
}
