/** Names read by the spelling of the language they come from. */
import { describe, expect, it } from 'vitest';
import { byOrigin } from '../../src/text/en/origin/origin.js';
import { createAlphabet } from '../../src/text/tokens.js';

describe('a name that no dictionary has', () => {
  it.each([
    ['Sienkiewicz', 'ʃɛnkjˈɛviʧ'],
    ['Částka', 'ʧˈɑstkɑ'],
    ['Pašić', 'pˈɑʃɪʧ'],
    ['Yevtushenko', 'jɛvtuʃˈɛnkO'],
    ['Pagliarucci', 'pɑljɑɹˈuʧi'],
    ['Echeñique', 'ɛʧɛnjˈikA'],
    ['Conceição', 'kOnsAsˈWn'],
    ['Baudereau', 'bOdəɹˈO'],
    ['Schnürer', 'ʃnˈuɹəɹ'],
    ['Phương', 'fˈuəŋ'],
    ['Wenzhou', 'wʌnʤˈO'],
    ['Xuesen', 'ʃwAsˈʌn'],
    ['Nakahara', 'nɑkɑhˈɑɹə'],
  ])('%s is read %s', (name, sounds) => {
    expect(byOrigin(name)).toBe(sounds);
  });

  it.each(['house', 'Wellington', 'Gandalf', 'NASA', 'Kubernetes', 'O', 'McDonald', '', 'Зима'])(
    'is left alone where its letters do not tell: %s',
    (name) => {
      expect(byOrigin(name)).toBeUndefined();
    },
  );

  it('has sounds of the model alone, whatever its letters are', () => {
    const alphabet = createAlphabet();
    const letters = 'aábcčćdđeéęfghiíjklłmnñoóöpqrřsšśtuúüvwxyzžżãõçêèàäß';
    let state = 1;
    const next = (below: number) => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      return state % below;
    };
    const strange = Array.from({ length: 3000 }, () => {
      const name = Array.from({ length: 3 + next(9) }, () => letters[next(letters.length)]).join('');
      return byOrigin(name.charAt(0).toUpperCase() + name.slice(1)) ?? '';
    }).filter((sounds) => [...sounds].some((symbol) => !alphabet.has(symbol)));
    expect(strange).toEqual([]);
  });
});
