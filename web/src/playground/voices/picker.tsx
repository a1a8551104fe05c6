/** The choice of model and voice: search, filters, favourites, and a sample of each voice. */
import { Icon } from '../../shared/icons.js';
import { model, voice, voices } from '../state.js';
import { search, shownVoices, surprise } from './choice.js';
import { FavouritesChip, Filters } from './filters.js';
import { Mixer } from './mixer.js';
import { VoiceList } from './voice-list.js';

const MODELS = [
  { id: 'base-tts-fast', name: 'Fast', hint: 'Starts at once, on any machine' },
  { id: 'base-tts', name: 'Standard', hint: 'The best sound, more work' },
] as const;
/** With more voices than this there are a search field and filters. */
const MANY = 8;

export function VoicePicker() {
  const many = voices.value.length > MANY;
  return (
    <aside class="picker" aria-label="Voice and model">
      <ModelChoice />
      <fieldset class="voices">
        <legend>Voice</legend>
        {many && <Finder />}
        <VoiceList />
      </fieldset>
      <Mixer />
      <a class="quiet link" href="/compare">
        Compare two by ear
      </a>
    </aside>
  );
}

function ModelChoice() {
  const chosen = voices.value.find(({ id }) => id === voice.value);
  return (
    <fieldset class="models">
      <legend>Model</legend>
      {MODELS.map(({ id, name, hint }) => {
        const lacksVoice = chosen !== undefined && !chosen.models.includes(id);
        return (
          <label key={id} class="choice">
            <input
              type="radio"
              name="model"
              checked={model.value === id}
              disabled={lacksVoice}
              onChange={() => {
                model.value = id;
              }}
            />
            <span>
              <strong>{name}</strong>
              <small>{lacksVoice ? `Does not have ${chosen.display_name}` : hint}</small>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

function Finder() {
  const count = shownVoices.value.length;
  return (
    <div class="finder">
      <input
        type="search"
        aria-label="Search voices"
        placeholder="british male, calm, français …"
        value={search}
        onInput={(event) => {
          search.value = event.currentTarget.value;
        }}
      />
      <Filters />
      <div class="finder-row">
        <FavouritesChip />
        <button type="button" class="chip-button" onClick={surprise} disabled={count === 0}>
          <Icon name="dice" size={14} />
          Surprise me
        </button>
        <span class="voice-count" aria-live="polite">
          {count} {count === 1 ? 'voice' : 'voices'}
        </span>
      </div>
    </div>
  );
}
