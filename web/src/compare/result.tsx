/** What the rounds say, and how sure that is. */
import { useEffect, useRef } from 'preact/hooks';
import type { Preference } from '../../../src/protocol/playground/preference-test.js';
import { saveFile } from '../shared/save-file.js';
import { counted, goOn, leave, parts, rounds, speakers } from './state.js';
import { asCsv, asJson, countsOf, type Exported, outcomeOf, ROUNDS } from './trial.js';

/** A difference is called one where chance makes it in fewer tests than this. */
const SURE = 0.05;

const percent = (share: number) => `${Math.round(share * 100)} %`;

function verdict({ p, winner }: Preference & { readonly winner: string | undefined }, name: string): string {
  if (winner === undefined) return 'You preferred both equally often.';
  const chance = `Chance alone comes out as uneven as this in ${p < 0.001 ? 'fewer than 1 of 1,000' : percent(p)}${p < 0.001 ? '' : ' of'} tests`;
  return p < SURE ? `You prefer ${name}. ${chance}.` : `That may be chance. ${chance}: more rounds would tell.`;
}

export function ResultView() {
  const outcome = outcomeOf(rounds.value);
  const { a, b } = speakers.value;
  const counts = countsOf(rounds.value);
  const winner = outcome.winner === undefined ? undefined : speakers.value[outcome.winner];
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const exported = (): Exported => ({ a, b, parts: parts.value, rounds: rounds.value });
  return (
    <section class="panel result" aria-labelledby="result-title">
      <h2 id="result-title" tabIndex={-1} ref={title}>
        {winner
          ? `${winner.name}: ${outcome.preferred} of ${outcome.rounds}`
          : `Even: ${counts.a} of ${outcome.rounds} each`}
      </h2>
      <p class="verdict">{verdict(outcome, winner?.name ?? '')}</p>
      <div class="interval">
        <svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
          <rect class="rail" x="0" y="5" width="100" height="2" />
          <rect class="range" x={outcome.low * 100} y="3" width={(outcome.high - outcome.low) * 100} height="6" />
          <rect class="even" x="49.8" y="0" width="0.4" height="12" />
          <rect class="share" x={outcome.share * 100 - 0.6} y="1" width="1.2" height="10" />
        </svg>
      </div>
      <dl class="figures">
        <Figure name={a.name} value={`${counts.a}`} />
        <Figure name={b.name} value={`${counts.b}`} />
        <Figure name="Share" value={percent(outcome.share)} />
        <Figure name="95 % confidence" value={`${percent(outcome.low)} to ${percent(outcome.high)}`} />
        <Figure name="p, exact, two-sided" value={outcome.p.toFixed(3)} />
      </dl>
      <div class="acts">
        <button type="button" class="primary" onClick={goOn}>
          {ROUNDS} more rounds
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => saveFile('comparison.json', asJson(exported()), 'application/json')}
        >
          JSON
        </button>
        <button type="button" class="quiet" onClick={() => saveFile('comparison.csv', asCsv(exported()), 'text/csv')}>
          CSV
        </button>
        <button type="button" class="quiet" onClick={leave}>
          Compare others
        </button>
      </div>
      <p class="hint" role="status">
        {counted.value ? 'The counts were added to the sum of this server.' : ''}
      </p>
    </section>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
