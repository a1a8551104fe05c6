/** Usage over time for a range that ends now: the steps, and what the store has for them. */
import type { AccountStore } from '../../../accounts/store.js';
import type { UsageFigures, UsageStep } from '../../../accounts/usage-sums.js';
import type { AdminUsageSeries, UsageRange } from '../../../protocol/admin/figures.js';

const STEP_S: Readonly<Record<UsageStep, number>> = { minute: 60, hour: 3_600, day: 86_400 };
/** Steps of a range, the present one included. */
const RANGES: Readonly<Record<UsageRange, { readonly step: UsageStep; readonly steps: number }>> = {
  hour: { step: 'minute', steps: 60 },
  day: { step: 'hour', steps: 24 },
  week: { step: 'hour', steps: 168 },
  month: { step: 'day', steps: 30 },
  year: { step: 'day', steps: 365 },
};
/** What completes a time that the store cut after its step. */
const REST: Readonly<Record<UsageStep, string>> = { minute: ':00.000Z', hour: ':00:00.000Z', day: 'T00:00:00.000Z' };

export const figuresOf = (sum: UsageFigures & { readonly model: string }) => ({
  model: sum.model,
  requests: sum.requests,
  unfinished: sum.unfinished,
  characters: sum.characters,
  delivered_characters: sum.deliveredCharacters,
  credits: sum.credits,
  audio_ms: sum.audioMs,
});

export async function usageSeries(
  store: Pick<AccountStore, 'usageSeries'>,
  range: UsageRange,
  keyId: string | undefined,
  nowMs = Date.now(),
): Promise<AdminUsageSeries> {
  const { step, steps } = RANGES[range];
  const stepMs = STEP_S[step] * 1000;
  const untilMs = nowMs - (nowMs % stepMs);
  const since = new Date(untilMs - (steps - 1) * stepMs).toISOString();
  const from = step === 'day' ? since.slice(0, 10) : since;
  const { times, keys } = await store.usageSeries({ since: from, step, keyId });
  return {
    range,
    since,
    until: new Date(untilMs).toISOString(),
    step_s: STEP_S[step],
    times: times.map((sum) => ({ time: `${sum.time}${REST[step]}`, ...figuresOf(sum) })),
    keys: keys.map((sum) => ({ key_id: sum.keyId, ...figuresOf(sum) })),
  };
}
