/** Preferences cross the wire as they were meant, and strange ones are no preference. */
import { expect, it } from 'vitest';
import { DELIVERY_STYLES } from '../../src/protocol/delivery/delivery.js';
import {
  deliveryPreference,
  partPreference,
  preferredDelivery,
  preferredPart,
  prefersWholeSentences,
} from '../../src/protocol/delivery/preference.js';

it('reads what it writes', () => {
  for (const style of DELIVERY_STYLES) {
    for (const place of [undefined, { sentence: 0, last: true }, { sentence: 12, last: false }]) {
      const header = `whole-sentences, ${deliveryPreference({ style, place })}`;
      expect(preferredDelivery(header)).toEqual(place === undefined ? { style } : { style, place });
      expect(prefersWholeSentences(header)).toBe(true);
    }
  }
});

it('says whether a paragraph goes on from the request before, and in the next', () => {
  for (const continues of [true, false]) {
    for (const goesOn of [true, false]) {
      const part = { continues, goesOn };
      const header = ['whole-sentences', partPreference(part)].join(', ');
      expect(preferredPart(header)).toEqual(continues || goesOn ? part : undefined);
    }
  }
  expect(preferredPart('part=other')).toBeUndefined();
});

it('finds no preference in anything else', () => {
  for (const header of [undefined, '', 'style', 'style=loud', 'style=news2', 'sentence=1', 'respond-async']) {
    expect(preferredDelivery(header)).toEqual({});
  }
  expect(preferredDelivery(['whole-sentences', 'Style=News'])).toEqual({ style: 'news' });
  expect(preferredDelivery('style=news; sentence=123456789')).toEqual({ style: 'news' });
});
