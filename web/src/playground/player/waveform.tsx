/** The audio as bars to seek in by mouse, touch and keys, and the position as a time. */
import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { SAMPLE_RATE } from '../../audio/recording.js';
import { duration } from '../../shared/format.js';
import { onTheme } from '../../shared/theme.js';
import type { Said } from '../speech/said.js';
import { player, seek } from '../state.js';
import { paintBars } from './bars.js';

const STEP = SAMPLE_RATE * 5;
const LEAP = SAMPLE_RATE * 30;
const time = (samples: number) => duration((Math.max(0, samples) * 1000) / SAMPLE_RATE);

export function Waveform({ said }: { readonly said: Said }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  /** The sample under a finger that has not been lifted. */
  const dragged = useSignal<number | undefined>(undefined);
  /** The position in whole seconds, so that little is rendered while it moves. */
  const second = useSignal(0);
  const { recording } = said;
  useDrawing(canvas, said, dragged, second);
  const length = recording.finished.value ? recording.length.value : recording.wholeSeconds.value * SAMPLE_RATE;
  const at = dragged.value ?? second.value * SAMPLE_RATE;
  const onKey = (event: KeyboardEvent) => {
    const to = keyTarget(event.key, player.position(recording), recording.length.peek());
    if (to === undefined) return;
    event.preventDefault();
    seek(to);
  };
  const sampleUnder = (event: PointerEvent) => {
    const { left, width } = canvas.current!.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - left) / width));
    return Math.min(recording.length.peek(), Math.round(share * shownSamples(said)));
  };
  return (
    <>
      <canvas
        ref={canvas}
        class="wave"
        role="slider"
        tabIndex={0}
        aria-label="Position"
        aria-valuemin={0}
        aria-valuemax={Math.floor(length / SAMPLE_RATE)}
        aria-valuenow={Math.min(Math.floor(at / SAMPLE_RATE), Math.floor(length / SAMPLE_RATE))}
        aria-valuetext={`${time(at)} of ${time(length)}`}
        onKeyDown={onKey}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          dragged.value = sampleUnder(event);
        }}
        onPointerMove={(event) => {
          if (dragged.value !== undefined) dragged.value = sampleUnder(event);
        }}
        onPointerUp={() => {
          if (dragged.value !== undefined) seek(dragged.value);
          dragged.value = undefined;
        }}
        onPointerCancel={() => {
          dragged.value = undefined;
        }}
      />
      <p class="times" aria-hidden="true">
        <span data-time="at">{time(at)}</span>
        <span data-time="length">
          {time(length)}
          {recording.finished.value ? '' : ' …'}
        </span>
      </p>
    </>
  );
}

function keyTarget(key: string, at: number, length: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowRight: STEP,
    ArrowUp: STEP,
    ArrowLeft: -STEP,
    ArrowDown: -STEP,
    PageUp: LEAP,
    PageDown: -LEAP,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.max(0, Math.min(at + step, length));
}

/** Samples that the width stands for; for audio still to come, estimated from the text. */
function shownSamples({ recording, text, clock }: Said): number {
  const length = recording.length.peek();
  const expected = ((text.peek().length - clock.from) * SAMPLE_RATE) / 15;
  return Math.max(1, recording.finished.peek() ? length : Math.max(length, expected));
}

/** Draws while something moves, and when size or theme change. */
function useDrawing(
  canvas: { readonly current: HTMLCanvasElement | null },
  said: Said,
  dragged: Signal<number | undefined>,
  second: Signal<number>,
): void {
  const draw = () => {
    const position = player.position(said.recording);
    second.value = Math.max(0, Math.floor(position / SAMPLE_RATE));
    if (canvas.current === null) return;
    paintBars(canvas.current, {
      recording: said.recording,
      samples: shownSamples(said),
      heard: dragged.peek() ?? position,
    });
  };
  useSignalEffect(() => {
    said.recording.length.value;
    said.recording.finished.value;
    dragged.value;
    player.begins.value;
    let frame = requestAnimationFrame(function next() {
      draw();
      if (player.playing.peek() && !player.paused.peek()) frame = requestAnimationFrame(next);
    });
    player.playing.value;
    player.paused.value;
    return () => cancelAnimationFrame(frame);
  });
  useEffect(() => {
    const observer = new ResizeObserver(draw);
    observer.observe(canvas.current!);
    const forget = onTheme(draw);
    return () => {
      observer.disconnect();
      forget();
    };
  }, [said]);
}
