/** The text, and the two that are compared. */

import { DELIVERY_STYLES } from '../../../src/protocol/delivery/delivery.js';
import type { Language } from '../../../src/protocol/job.js';
import { codeOf, LANGUAGE_CODES, LANGUAGE_NAMES } from '../../../src/protocol/languages.js';
import { COMPARED_SPEEDS } from '../../../src/protocol/pages.js';
import { choose, chosen, obstacle, speakers, start, text, voices } from './state.js';
import { partsOf, ROUNDS, type Side } from './trial.js';

const MODELS = [
  { id: 'base-tts', name: 'Standard' },
  { id: 'base-tts-fast', name: 'Fast' },
] as const;
/** Most characters that a comparison takes. */
const MAX_CHARS = 2_000;

export function Setup() {
  const parts = partsOf(text.value).length;
  return (
    <div class="setup">
      <section class="panel" aria-labelledby="text-title">
        <h2 id="text-title">Text</h2>
        <textarea
          class="compared-text"
          aria-label="Text to compare"
          rows={6}
          maxLength={MAX_CHARS}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <p class="hint">
          {parts === 1 ? 'One part is heard in every round.' : `${parts} parts are heard in turn.`} Both speak the same
          part, equally loud, in an order that is drawn anew each round.
        </p>
      </section>
      <div class="pair">
        <SpeakerChoice side="a" />
        <SpeakerChoice side="b" />
      </div>
      <div class="begin">
        <button type="button" class="primary" disabled={obstacle.value !== undefined} onClick={start}>
          Start {ROUNDS} rounds
        </button>
        <p class="hint" role="status">
          {obstacle.value ?? `${speakers.value.a.name} against ${speakers.value.b.name}.`}
        </p>
      </div>
    </div>
  );
}

function SpeakerChoice({ side }: { readonly side: Side }) {
  const { model, voice, speed, style } = chosen.value[side];
  const models = voices.value.find(({ id }) => id === voice)?.models ?? [];
  const title = side === 'a' ? 'One' : 'The other';
  return (
    <fieldset class="panel speaker">
      <legend>{title}</legend>
      <label>
        Voice
        <select value={voice} onChange={(event) => choose(side, { voice: event.currentTarget.value })}>
          {LANGUAGE_CODES.map((code) => (
            <optgroup key={code} label={LANGUAGE_NAMES[code]}>
              {voices.value
                .filter(({ locale, language }) => codeOf((locale ?? language) as Language) === code)
                .map(({ id, display_name: name }) => (
                  <option key={id} value={id}>
                    {name} ({id})
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label>
        Model
        <select value={model} onChange={(event) => choose(side, { model: event.currentTarget.value })}>
          {MODELS.map(({ id, name }) => (
            <option key={id} value={id} disabled={!models.includes(id)}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Speed
        <select value={speed} onChange={(event) => choose(side, { speed: Number(event.currentTarget.value) })}>
          {COMPARED_SPEEDS.map((each) => (
            <option key={each} value={each}>
              {each} ×
            </option>
          ))}
        </select>
      </label>
      <label>
        Style
        <select
          value={style ?? ''}
          onChange={(event) => choose(side, { style: event.currentTarget.value || undefined })}
        >
          <option value="">as this server does</option>
          {DELIVERY_STYLES.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}
