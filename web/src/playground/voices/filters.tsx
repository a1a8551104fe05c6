/** Chips that narrow the list of voices. Each row is one tab stop with arrow keys. */
import { Icon } from '../../shared/icons.js';
import { FACETS, type Facet, favourites, filters, onlyFavourites, optionsOf, setFilter } from './choice.js';

const TITLES: Readonly<Record<Facet, string>> = {
  language: 'Language',
  accent: 'Accent',
  gender: 'Gender',
  use: 'Good for',
};

export function Filters() {
  const count = FACETS.filter((facet) => filters.value[facet] !== '').length;
  return (
    <details class="filters">
      <summary>
        Filter<span class="chip-count">{count > 0 ? `${count} on` : ''}</span>
      </summary>
      {FACETS.map((facet) => (
        <Chips key={facet} facet={facet} />
      ))}
    </details>
  );
}

function Chips({ facet }: { readonly facet: Facet }) {
  const options = optionsOf(facet);
  // One accent is no choice.
  if (options.length < 2) return null;
  return (
    <fieldset class="chips">
      <legend>{TITLES[facet]}</legend>
      {[{ value: '', name: 'any' }, ...options].map(({ value, name }) => (
        <label key={value} class="chip">
          <input
            type="radio"
            name={`filter-${facet}`}
            checked={filters.value[facet] === value}
            onChange={() => setFilter(facet, value)}
          />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function FavouritesChip() {
  return (
    <label class="chip">
      <input
        type="checkbox"
        checked={onlyFavourites.value}
        onChange={(event) => {
          onlyFavourites.value = event.currentTarget.checked;
        }}
      />
      <span>
        <Icon name="star" size={14} />
        Favourites{favourites.value.length > 0 ? ` (${favourites.value.length})` : ''}
      </span>
    </label>
  );
}
