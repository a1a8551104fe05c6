/**
 * The voices as one tab stop: arrow keys choose, Enter lets the chosen one be heard, F makes it a
 * favourite. The buttons are for mouse and touch, and for screen readers that walk the page.
 */
import type { Language } from '../../../../src/protocol/job.js';
import { ACCENT_NAMES } from '../../../../src/protocol/playground/voice-words.js';
import { Icon } from '../../shared/icons.js';
import { hearSample, sampling, stop, type Voice, voice } from '../state.js';
import { choose, clearFilters, favourites, shownVoices, toggleFavourite } from './choice.js';

const hear = (entry: Voice) => (sampling.value === entry.id ? stop() : hearSample(entry));

export function VoiceList() {
  const shown = shownVoices.value;
  if (shown.length === 0) return <NoVoice />;
  return (
    <>
      <div class="voice-list">
        {shown.map((entry) => (
          <VoiceRow key={entry.id} entry={entry} />
        ))}
      </div>
      <p class="hint keys-hint" id="voice-keys">
        <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> hear, <kbd>F</kbd> favourite
      </p>
    </>
  );
}

function NoVoice() {
  return (
    <div class="no-voice">
      <p role="status">No voice matches. Use fewer words or filters.</p>
      <button type="button" class="quiet" onClick={clearFilters}>
        Show all voices
      </button>
    </div>
  );
}

function VoiceRow({ entry }: { readonly entry: Voice }) {
  const { id, display_name: name, description, character, gender } = entry;
  const accent = ACCENT_NAMES[(entry.locale ?? entry.language) as Language];
  const isFavourite = favourites.value.includes(id);
  const isHeard = sampling.value === id;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') hear(entry);
    else if (event.key === 'f' || event.key === 'F') toggleFavourite(id);
    else return;
    event.preventDefault();
  };
  return (
    <div class="voice">
      <label class="choice">
        <input
          type="radio"
          name="voice"
          aria-describedby={`about-${id} voice-keys`}
          checked={voice.value === id}
          onChange={() => choose(entry)}
          onKeyDown={onKeyDown}
        />
        <span>
          <strong>
            {name}
            {isFavourite && <span class="visually-hidden">, a favourite</span>}{' '}
            <em>
              {accent}, {gender}
            </em>
          </strong>
          <small id={`about-${id}`}>
            {description}
            {character.length > 0 && <span class="visually-hidden"> {character.join(', ')}</span>}
          </small>
        </span>
      </label>
      <div class="voice-acts">
        <button
          type="button"
          class="round"
          tabIndex={-1}
          aria-label={isHeard ? `Stop ${name}` : `Hear ${name}`}
          onClick={() => hear(entry)}
        >
          <Icon name={isHeard ? 'stop' : 'sound'} size={18} />
        </button>
        <button
          type="button"
          class="round star"
          tabIndex={-1}
          aria-pressed={isFavourite}
          aria-label={`Favourite ${name}`}
          onClick={() => toggleFavourite(id)}
        >
          <Icon name={isFavourite ? 'starred' : 'star'} size={16} />
        </button>
      </div>
    </div>
  );
}
