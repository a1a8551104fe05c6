/** The choice of model and voice, with a sample of each voice. */
import { useSignal } from '@preact/signals';
import { Icon } from '../shared/icons.js';
import { hearSample, model, sampling, stop, voice, voices } from './state.js';

const MODELS = [
  { id: 'base-tts-fast', name: 'Fast', hint: 'Starts at once, on any machine' },
  { id: 'base-tts', name: 'Standard', hint: 'The best sound, more work' },
] as const;
/** With more voices than this there is a search field. */
const MANY = 8;

export function VoicePicker() {
  const search = useSignal('');
  const wanted = search.value.trim().toLowerCase();
  const shown = voices.value.filter(({ id, display_name, description }) =>
    `${id} ${display_name} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <aside class="picker" aria-label="Voice and model">
      <fieldset class="models">
        <legend>Model</legend>
        {MODELS.map(({ id, name, hint }) => (
          <label key={id} class="choice">
            <input
              type="radio"
              name="model"
              checked={model.value === id}
              onChange={() => {
                model.value = id;
              }}
            />
            <span>
              <strong>{name}</strong>
              <small>{hint}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset class="voices">
        <legend>Voice</legend>
        {voices.value.length > MANY && (
          <input
            type="search"
            aria-label="Search voices"
            placeholder="Search voices"
            value={search}
            onInput={(event) => {
              search.value = event.currentTarget.value;
            }}
          />
        )}
        <div class="voice-list">
          {shown.map((entry) => (
            <div key={entry.id} class="voice">
              <label class="choice">
                <input
                  type="radio"
                  name="voice"
                  checked={voice.value === entry.id}
                  onChange={() => {
                    voice.value = entry.id;
                  }}
                />
                <span>
                  <strong>{entry.display_name}</strong>
                  <small>{entry.description}</small>
                </span>
              </label>
              <button
                type="button"
                class="round"
                aria-label={sampling.value === entry.id ? `Stop ${entry.display_name}` : `Hear ${entry.display_name}`}
                onClick={() => (sampling.value === entry.id ? stop() : hearSample(entry))}
              >
                <Icon name={sampling.value === entry.id ? 'stop' : 'sound'} size={18} />
              </button>
            </div>
          ))}
        </div>
      </fieldset>
    </aside>
  );
}
