/** Figures of what was said last. */
import { useComputed } from '@preact/signals';
import { duration } from '../../shared/format.js';
import { player, run } from '../state.js';

export function Facts() {
  const said = run.value;
  const first = said?.firstMs.value;
  const factor = useComputed(() => run.value?.realTimeFactor.value?.toFixed(2) ?? '–');
  return (
    <dl class="facts" aria-label="Figures">
      <Fact name="First audio" value={first === undefined ? '–' : `${Math.round(first)} ms`} id="first" />
      <Fact name="Real-time factor" value={factor.value} id="rtf" />
      <Fact name="Underruns" value={String(player.underruns.value)} id="underruns" />
      <Fact name="Length" value={said ? duration(said.recording.wholeSeconds.value * 1000) : '–'} id="length" />
    </dl>
  );
}

function Fact({ name, value, id }: { readonly name: string; readonly value: string; readonly id: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-fact={id}>{value}</dd>
    </div>
  );
}
