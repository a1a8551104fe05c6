/** What the variable for the tone engine takes, and what it says to a mistake. */
import { describe, expect, it } from 'vitest';
import { readSineOptions } from '../../src/cli/service/sine-options.js';

describe('TTS_SINE_OPTIONS', () => {
  it('takes options, also those of a card, and none at all', () => {
    const options = { msPerChar: 20, failOn: 'x', card: { runMs: 5, most: 4 } };
    expect(readSineOptions(JSON.stringify(options))).toEqual(options);
    expect(readSineOptions('{}')).toEqual({});
  });

  it.each([
    ['{', /is not JSON: .*\{"msPerChar":55,"pace":10\}/],
    ['[]', /is no object\./],
    ['7', /is no object\./],
    ['{"msPerCher":20}', /has no option "msPerCher"; there are msPerChar, chunkMs, pace/],
    ['{"toString":1}', /has no option "toString"/],
    ['{"pace":"10"}', /wants a number for "pace", not "10"/],
    ['{"pace":-1}', /wants no negative number for "pace"/],
    ['{"card":{"runMs":5,"many":4}}', /has no option "many" under "card"; there are runMs, most/],
    ['{"card":5}', /wants an object for "card", not 5/],
  ])('says what is wrong with %s', (text, message) => {
    expect(() => readSineOptions(text)).toThrow(message);
    expect(() => readSineOptions(text)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });
});
