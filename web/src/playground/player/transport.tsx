/** The player, always in sight: playback, position, speed, downloads, and what went wrong. */
import { useEffect, useRef } from 'preact/hooks';
import { isBlank } from '../../../../src/protocol/characters.js';
import { MAX_SPEED, MIN_SPEED } from '../../audio/stretcher.js';
import { Icon } from '../../shared/icons.js';
import { live, needsKey, player, run, sampling, shownText, stop, toggle } from '../state.js';
import { Downloads } from './downloads.js';
import { Problem } from './problem.js';
import { useSpaceKey } from './space-key.js';
import { Waveform } from './waveform.js';

const SPEEDS = [MIN_SPEED, 0.6, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, MAX_SPEED] as const;

export function Transport() {
  const dock = useRef<HTMLElement>(null);
  useRoomBelow(dock);
  useSpaceKey();
  const current = run.value;
  const isBusy = player.playing.value || (current !== undefined && !current.recording.finished.value);
  const hasAudio = current?.recording.hasAudio.value === true;
  return (
    <section ref={dock} class="transport" aria-label="Player">
      <Problem />
      <div class="transport-row">
        <PlayButton />
        <div class="wave-box">
          {current ? (
            <Waveform said={current} />
          ) : (
            <p class="wave-empty">
              {live.value ? 'Listening for your words' : 'Press play'}
              {!live.value && <span class="with-keys">, or Ctrl and Enter</span>}
            </p>
          )}
        </div>
      </div>
      {(isBusy || hasAudio) && (
        <div class="transport-tools">
          {isBusy && (
            <button type="button" class="quiet" onClick={stop}>
              <Icon name="stop" size={16} />
              Stop
            </button>
          )}
          <SpeedChoice />
          <Downloads />
        </div>
      )}
      <p class="visually-hidden" role="status">
        {statusOf()}
      </p>
    </section>
  );
}

function PlayButton() {
  const isMoving = player.playing.value && !player.paused.value;
  const isNothing = !player.playing.value && (isBlank(shownText.value) || live.value || needsKey.value);
  return (
    <button
      type="button"
      class="play"
      aria-label={isMoving ? 'Pause' : 'Play'}
      aria-keyshortcuts="Space"
      disabled={isNothing}
      onClick={toggle}
    >
      <Icon name={isMoving ? 'pause' : 'play'} size={26} />
    </button>
  );
}

function SpeedChoice() {
  return (
    <label class="speed">
      <span class="visually-hidden">Speed</span>
      <select
        value={String(player.speed.value)}
        onChange={(event) => player.setSpeed(Number(event.currentTarget.value))}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed} ×
          </option>
        ))}
      </select>
    </label>
  );
}

function statusOf(): string {
  if (sampling.value) return 'Playing a sample';
  if (player.playing.value) return player.paused.value ? 'Paused' : 'Speaking';
  const said = run.value;
  if (said === undefined || !said.recording.finished.value || said.error.value) return '';
  return said.isWhole.value ? 'Finished' : 'Stopped';
}

/** Leaves as much room at the end of the page as the player takes. */
function useRoomBelow(dock: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const room = document.documentElement.style;
    const observer = new ResizeObserver(() => room.setProperty('--dock', `${dock.current?.offsetHeight ?? 0}px`));
    observer.observe(dock.current!);
    return () => {
      observer.disconnect();
      room.removeProperty('--dock');
    };
  }, []);
}
