/** Text in pieces in, speech out: pieces change nothing, and no text is cut before it is wanted. */
import { setImmediate as loopTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SpokenText } from '../../src/gateway/spoken-text.js';
import type { GatewayEvent, Speech } from '../../src/gateway/types.js';
import type { Segment } from '../../src/protocol/job.js';
import { LocalCutter } from '../../src/text/segment/cutter.js';

/** Takes segments one by one and says nothing of them but that they are over. */
function mute(): Speech & { readonly taken: Segment[] } {
  const taken: Segment[] = [];
  return {
    taken,
    queueMs: undefined,
    record: { breaks: 0, workers: [] },
    wrote: () => undefined,
    async *speak(segments): AsyncGenerator<GatewayEvent> {
      for await (const segment of segments) {
        taken.push(segment);
        yield { type: 'segment-end', segment };
      }
    },
    close: () => undefined,
  };
}

const countTokens = (text: string) => text.length;
const { signal } = new AbortController();

async function segmentsOf(pieces: readonly string[]): Promise<string[]> {
  const speech = mute();
  const text = new SpokenText(speech, new LocalCutter({ countTokens }));
  for (const piece of pieces) text.text(piece);
  text.end();
  for await (const _event of text.speak(signal));
  expect(text.idle).toBe(true);
  return speech.taken.map((segment) => segment.text);
}

describe('text', () => {
  it('gives the same segments in whatever pieces it comes', async () => {
    const sentence = fc.constantFrom(
      'It rains. ',
      'Who is there?\n\n',
      'So, well, yes: no; \u{1F600} ',
      'word '.repeat(90),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(sentence, { maxLength: 20 }), fc.array(fc.nat(40)), async (sentences, cuts) => {
        const whole = sentences.join('');
        const pieces: string[] = [];
        let at = 0;
        for (const units of cuts) {
          pieces.push(whole.slice(at, at + units));
          at += units;
        }
        pieces.push(whole.slice(at));
        expect(await segmentsOf(pieces)).toEqual(await segmentsOf([whole]));
      }),
      { numRuns: 60 },
    );
  });

  it('is cut no further than it is wanted', async () => {
    const speech = mute();
    const text = new SpokenText(speech, new LocalCutter({ countTokens }));
    text.text('This is a sentence of some length. '.repeat(1_000));
    const events = text.speak(signal);
    await events.next();
    await loopTurn();
    expect(speech.taken).toHaveLength(1);
    expect(text.idle).toBe(false);
    // What was looked at is a step or two, not the text.
    expect(text.pendingChars).toBeLessThan(1_000);
    await events.return();
  });

  it('is idle once all text was cut and delivered, also where none of it is a sentence yet', async () => {
    const speech = mute();
    const text = new SpokenText(speech, new LocalCutter({ countTokens }));
    let idle = 0;
    text.onIdle = () => {
      idle++;
    };
    const done = (async () => {
      for await (const _event of text.speak(signal));
    })();
    await loopTurn();
    expect(idle).toBe(1);
    text.text('Half a sent');
    expect(text.idle).toBe(false);
    await loopTurn();
    expect([text.idle, idle, text.pendingChars]).toEqual([true, 2, 11]);
    text.flush();
    await loopTurn();
    expect([text.idle, text.pendingChars, speech.taken.length]).toEqual([true, 0, 1]);
    text.text('ence.');
    text.end();
    await done;
    expect(speech.taken.map((segment) => segment.text)).toEqual(['Half a sent', 'ence.']);
  });

  it('that is wrong markup ends the speech with invalid_ssml', async () => {
    const text = new SpokenText(mute(), new LocalCutter({ countTokens, ssml: true }));
    text.text('<speak>Hello');
    text.end();
    await expect(
      (async () => {
        for await (const _event of text.speak(signal));
      })(),
    ).rejects.toMatchObject({ code: 'invalid_ssml' });
  });

  it('stops waiting for more when its listener leaves', async () => {
    const leaving = new AbortController();
    const text = new SpokenText(mute(), new LocalCutter({ countTokens }));
    const next = text.speak(leaving.signal).next();
    await loopTurn();
    leaving.abort();
    await expect(next).rejects.toMatchObject({ name: 'AbortError' });
  });
});
