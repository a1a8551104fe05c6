/** Two or three voices by shares, heard as one; to take along as a file, or kept on the server. */
import { computed, signal, useSignal } from '@preact/signals';
import type { KeptVoiceFile } from '../../../../src/protocol/admin/kept.js';
import { sampleOf } from '../../../../src/protocol/playground/voice-words.js';
import { call } from '../../shared/api.js';
import { saveFile } from '../../shared/save-file.js';
import { KeepOnServer } from '../keep-on-server.js';
import { keepOnServer } from '../operator.js';
import { hearAside, key, loadVoices, model, server, voice, voices } from '../state.js';

interface Share {
  readonly voice: string;
  readonly weight: number;
}

const MOST = 3;
const shares = signal<readonly Share[]>([
  { voice: 'american_female_heart', weight: 60 },
  { voice: 'british_male_george', weight: 40 },
]);
/** As the server takes a mix for a voice. */
const mixId = computed(() => shares.value.map((share) => `${share.voice}(${share.weight})`).join('+'));

const entryOf = (id: string) => voices.value.find((entry) => entry.id === id);
/** The chosen model where it has all voices of the mix. */
const mixModel = () =>
  shares.value.every((share) => entryOf(share.voice)?.models.includes(model.value)) ? model.value : 'base-tts';

function set(at: number, change: Partial<Share>): void {
  shares.value = shares.value.map((share, index) => (index === at ? { ...share, ...change } : share));
}

function hearMix(): void {
  const heaviest = [...shares.value].sort((a, b) => b.weight - a.weight)[0]!;
  const entry = entryOf(heaviest.voice);
  if (entry) hearAside(sampleOf({ ...entry, display_name: 'a mix' }), mixId.value, mixModel());
}

function useMix(): void {
  model.value = mixModel();
  voice.value = mixId.value;
}

export function Mixer() {
  const silent = shares.value.every(({ weight }) => weight === 0);
  const opened = useSignal(false);
  return (
    <details
      class="mixer"
      onToggle={(event) => {
        opened.value = event.currentTarget.open;
      }}
    >
      <summary>Mix your own</summary>
      {shares.value.map((share, at) => (
        <ShareRow key={at} share={share} at={at} />
      ))}
      {shares.value.length < MOST && (
        <button
          type="button"
          class="chip-button"
          onClick={() => {
            shares.value = [...shares.value, { voice: 'american_female_bella', weight: 30 }];
          }}
        >
          Add a third
        </button>
      )}
      <div class="mixer-acts">
        <button type="button" class="primary" disabled={silent} onClick={hearMix}>
          Hear the mix
        </button>
        <button
          type="button"
          class="quiet"
          disabled={silent}
          aria-pressed={voice.value === mixId.value}
          onClick={useMix}
        >
          {voice.value === mixId.value ? 'Speaks the text' : 'Use for the text'}
        </button>
      </div>
      {opened.value && <SaveMix silent={silent} />}
    </details>
  );
}

function ShareRow({ share, at }: { readonly share: Share; readonly at: number }) {
  const place = ['first', 'second', 'third'][at]!;
  return (
    <div class="share-row">
      <select
        aria-label={`The ${place} voice of the mix`}
        value={share.voice}
        onChange={(event) => set(at, { voice: event.currentTarget.value })}
      >
        {voices.value.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      <label>
        <input
          type="range"
          min="0"
          max="100"
          step="5"
          aria-label={`Share of the ${place} voice`}
          value={share.weight}
          onInput={(event) => set(at, { weight: Number(event.currentTarget.value) })}
        />
        <output>{share.weight}</output>
      </label>
    </div>
  );
}

function SaveMix({ silent }: { readonly silent: boolean }) {
  const name = useSignal('');
  const failed = useSignal<string | undefined>(undefined);
  const id = name.value
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '_');
  const file = () =>
    call<KeptVoiceFile>(`/playground/mix?${new URLSearchParams({ name: id, mix: mixId.value })}`, {
      key: server.value?.keyless ? undefined : key.value,
    });
  const save = async () => {
    try {
      saveFile(`${id}.json`, `${JSON.stringify(await file(), null, 2)}\n`, 'application/json');
      failed.value = undefined;
    } catch (error) {
      failed.value = (error as Error).message;
    }
  };
  const keep = async () => {
    await keepOnServer('voices', id, await file());
    await loadVoices();
    voice.value = id;
    return `${id} speaks on this server from now on.`;
  };
  const disabled = silent || id === '';
  return (
    <div class="mixer-save">
      <label>
        Its name
        <input
          placeholder="cosy"
          maxLength={40}
          autocomplete="off"
          value={name}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
      </label>
      {failed.value && (
        <p class="problem" role="alert">
          {failed.value}
        </p>
      )}
      <button type="button" class="quiet" disabled={disabled} onClick={() => void save()}>
        Save as a file
      </button>
      <KeepOnServer disabled={disabled} keep={keep} />
    </div>
  );
}
