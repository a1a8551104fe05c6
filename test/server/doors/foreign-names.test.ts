/**
 * Other families' names for voices against the catalogue that ships: each has a voice of its own.
 */
import { describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../../src/models/catalogue.js';
import {
  PREMADE_VOICES as ELEVENLABS,
  OLDER_VOICES,
  VOICE_ALIASES,
} from '../../../src/server/doors/elevenlabs/names.js';
import { VOICE_ALIASES as OPENAI } from '../../../src/server/doors/openai/names.js';
import { voiceId } from '../../../src/server/foreign-names.js';

const catalogue = loadCatalogue();

describe.each([
  ['OpenAI', OPENAI, 13],
  ['ElevenLabs', ELEVENLABS, 24],
] as const)("%s' voices", (_family, aliases, count) => {
  it('are each another one of ours, by both models, and the style that the table names', () => {
    const found = [...aliases].map(([name, { style }]) => {
      const [id, fast] = (['base-tts', 'base-tts-fast'] as const).map((base) =>
        voiceId(catalogue, { base, name, param: 'voice' }, aliases),
      );
      expect(fast).toBe(id);
      const voice = catalogue.all.find((one) => one.voice.id === id)!;
      expect(voice.mix.map((part) => part.style)).toEqual([style]);
      return id;
    });
    expect(found).toHaveLength(count);
    expect(new Set(found).size).toBe(count);
  });

  it('that share a name with a style of Kokoro are that style', () => {
    const styles = new Set(catalogue.all.flatMap(({ mix }) => mix.map(({ style }) => style)));
    for (const { name, style } of aliases.values()) {
      const namesakes = ['af', 'am', 'bf', 'bm']
        .map((kind) => `${kind}_${name.toLowerCase()}`)
        .filter((one) => styles.has(one));
      if (namesakes.length > 0) expect(namesakes).toContain(style);
    }
  });
});

describe("ElevenLabs' older voices", () => {
  it('are each the style that the table names, and none has the id or the name of a newer one', () => {
    for (const [name, { style }] of OLDER_VOICES) {
      expect(name).toMatch(/^[A-Za-z0-9]{20}$/);
      const id = voiceId(catalogue, { base: 'base-tts', name, param: 'voice' }, VOICE_ALIASES);
      expect(catalogue.all.find(({ voice }) => voice.id === id)!.mix.map((part) => part.style)).toEqual([style]);
    }
    expect(VOICE_ALIASES.size).toBe(ELEVENLABS.size + OLDER_VOICES.size);
    const names = [...VOICE_ALIASES.values()].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
