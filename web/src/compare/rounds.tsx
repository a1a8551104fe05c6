/** One round: two clips without names, and a choice between them. */
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../shared/icons.js';
import { playing } from './clips.js';
import { at, clips, hear, heard, leave, parts, prefer, rounds } from './state.js';

const PLACES = [
  { place: 0, name: 'first', hearKey: '1', preferKey: '←' },
  { place: 1, name: 'second', hearKey: '2', preferKey: '→' },
] as const;

export function RoundView() {
  const round = rounds.value[at.value]!;
  const ready = clips.value[round.part] !== undefined;
  const both = heard.value.length === 2;
  const title = useRef<HTMLHeadingElement>(null);
  // The keyboard goes on where the round begins, and a screen reader says which one it is.
  useEffect(() => title.current?.focus(), [at.value]);
  return (
    <section class="panel round-panel" aria-labelledby="round-title">
      <div class="panel-head">
        <h2 id="round-title" tabIndex={-1} ref={title}>
          Round {at.value + 1} of {rounds.value.length}
        </h2>
        <button type="button" class="quiet" onClick={leave}>
          Leave
        </button>
      </div>
      <progress max={rounds.value.length} value={at.value} aria-label="Rounds done" />
      <p class="compared-part">{parts.value[round.part]}</p>
      <div class="duel">
        {PLACES.map(({ place, name, hearKey, preferKey }) => (
          <div key={place} class="duellist">
            <button
              type="button"
              class="hear"
              disabled={!ready}
              aria-label={`Hear the ${name}`}
              onClick={() => hear(place)}
            >
              <Icon name={playing.value === place ? 'sound' : 'play'} size={30} />
            </button>
            <span class="hint">
              <kbd>{hearKey}</kbd> {heard.value.includes(place) ? 'heard' : `hear the ${name}`}
            </span>
            <button type="button" class="primary" disabled={!both} onClick={() => prefer(place)}>
              Prefer the {name}
              <kbd>{preferKey}</kbd>
            </button>
          </div>
        ))}
      </div>
      <p class="hint" role="status">
        {!ready
          ? 'Preparing the next clips …'
          : both
            ? 'Choose one, even if you are not sure.'
            : 'Hear both, as often as you like.'}
      </p>
    </section>
  );
}
