/** What tts doctor says of the pace of the engine: seen now, and remembered. */
import { describe, expect, it } from 'vitest';
import { type Pace, paceFinding } from '../../src/cli/doctor/engine.js';

const PACE: Pace = {
  model: 'base-tts',
  readyMs: 1_200,
  firstMs: 300,
  samples: 96_000,
  seen: 0.5,
  remembered: 0.55,
  load: 0.2,
  cores: 2,
};

describe('the pace of the engine', () => {
  it('is told as seen now and as remembered', async () => {
    const { state, found, advice } = await paceFinding(PACE);
    expect({ state, advice }).toEqual({ state: 'fine', advice: undefined });
    expect(found).toContain('seen now: 2.0 × faster than real time; remembered from the measurement: 1.8 × faster');
  });

  it('is excused on a busy machine, whose load is named', async () => {
    const busy = await paceFinding({ ...PACE, seen: 2.1, load: 3.4 });
    expect(busy.found).toContain(
      'seen now: 2.1 × slower than real time; remembered from the measurement: 1.8 × faster',
    );
    expect(busy).toMatchObject({
      state: 'note',
      advice:
        'The machine is busy: 3.4 processes want its 2 cores. Try again when it is quiet. -m base-tts-fast is lighter.',
    });
    expect((await paceFinding({ ...PACE, seen: 0.95, load: 3.4 })).advice).toMatch(/^The machine is busy/);
  });

  it('that is slower than speech on a quiet machine has the lighter model as advice', async () => {
    const slow = { ...PACE, seen: 1.4, remembered: 1.3 };
    expect((await paceFinding(slow)).advice).toBe('Slower than it is heard. -m base-tts-fast is lighter.');
    const fast: Pace = { ...slow, model: 'base-tts-fast', remembered: undefined };
    expect((await paceFinding(fast)).advice).toBe('Slower than it is heard. Is the machine busy?');
    expect((await paceFinding({ ...PACE, samples: 0 })).state).toBe('broken');
  });
});
