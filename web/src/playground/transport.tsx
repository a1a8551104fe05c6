/** Play and stop, the waveform, and figures of the run. */
import { isBlank } from '../../../src/protocol/characters.js';
import { duration } from '../shared/format.js';
import { Icon } from '../shared/icons.js';
import { live, player, run, sampling, speak, stop, text } from './state.js';
import { Waveform } from './waveform.js';

export function Transport() {
  const current = run.value;
  const busy = player.playing.value || (current !== undefined && !current.recording.finished.value);
  return (
    <section class="transport" aria-label="Playback">
      {busy ? (
        <button type="button" class="play" aria-label="Stop" onClick={stop}>
          <Icon name="stop" size={26} />
        </button>
      ) : (
        <button
          type="button"
          class="play"
          aria-label="Play"
          disabled={isBlank(text.value) || live.value}
          onClick={speak}
        >
          <Icon name="play" size={26} />
        </button>
      )}
      <div class="wave-box">
        {current ? (
          <Waveform run={current} />
        ) : (
          <p class="wave-empty">{live.value ? 'Listening for your words' : 'Press play'}</p>
        )}
        <dl class="facts" aria-live="off">
          <Fact
            name="First audio"
            value={current?.firstMs.value === undefined ? '–' : `${Math.round(current.firstMs.value)} ms`}
            id="first"
          />
          <Fact
            name="Real-time factor"
            value={current?.realTimeFactor.value === undefined ? '–' : current.realTimeFactor.value.toFixed(2)}
            id="rtf"
          />
          <Fact name="Underruns" value={String(player.underruns.value)} id="underruns" />
          <Fact name="Length" value={current ? duration(current.recording.length.value / 24) : '–'} id="length" />
        </dl>
      </div>
      <p class="visually-hidden" role="status">
        {sampling.value
          ? 'Playing a sample'
          : player.playing.value
            ? 'Speaking'
            : current?.recording.finished.value
              ? 'Finished'
              : ''}
      </p>
    </section>
  );
}

function Fact({ name, value, id }: { readonly name: string; readonly value: string; readonly id: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-fact={id}>{value}</dd>
    </div>
  );
}
