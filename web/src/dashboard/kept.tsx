/** What the operator keeps for all servers (voices and words), and what listeners preferred. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AdminComparisons, AdminLexicon, AdminVoices } from '../../../src/protocol/admin-kept.js';
import { Scroll } from './scroll.js';
import { admin } from './state.js';

const percent = (share: number) => `${Math.round(share * 100)} %`;

export function KeptForAll() {
  const words = useSignal<AdminLexicon['data']>([]);
  const voices = useSignal<AdminVoices['data']>([]);
  const load = async () => {
    words.value = (await admin<AdminLexicon>('/lexicon')).data;
    voices.value = (await admin<AdminVoices>('/voices')).data;
  };
  useEffect(() => void load(), []);
  const remove = async (path: string) => {
    await admin(path, { method: 'DELETE' });
    await load();
  };
  const rows = [
    ...voices.value.map(({ id = '', description }) => ({
      kind: 'Voice',
      path: 'voices',
      name: id,
      value: description,
    })),
    ...words.value.map(({ word, said }) => ({ kind: 'Word', path: 'lexicon', name: word, value: said })),
  ];
  return (
    <section class="panel" aria-labelledby="kept-title">
      <h2 id="kept-title">Kept for all servers</h2>
      {rows.length === 0 ? (
        <p class="empty">Mix a voice or correct a word in the playground, and keep it from there.</p>
      ) : (
        <Scroll label="Voices and words">
          <table>
            <tbody>
              {rows.map(({ kind, path, name, value }) => (
                <tr key={`${path} ${name}`}>
                  <td>{kind}</td>
                  <th scope="row">{name}</th>
                  <td class="wide">{value}</td>
                  <td>
                    <button
                      type="button"
                      class="quiet"
                      aria-label={`Remove ${name}`}
                      onClick={() => void remove(`/${path}/${encodeURIComponent(name)}`)}
                    >
                      Remove
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}

export function Comparisons() {
  const sums = useSignal<AdminComparisons['data']>([]);
  useEffect(() => {
    void admin<AdminComparisons>('/comparisons').then(({ data }) => {
      sums.value = data;
    });
  }, []);
  return (
    <section class="panel" aria-labelledby="compared-title">
      <h2 id="compared-title">Compared by ear</h2>
      {sums.value.length === 0 ? (
        <p class="empty">
          No comparison was finished yet: <a href="/compare">compare two</a>.
        </p>
      ) : (
        <Scroll label="Comparisons">
          <table>
            <thead>
              <tr>
                <th scope="col">One</th>
                <th scope="col">The other</th>
                <th scope="col">Rounds for each</th>
                <th scope="col">Share of the one, 95 %</th>
                <th scope="col">p</th>
              </tr>
            </thead>
            <tbody>
              {sums.value.map(({ a, b, a_preferred: forA, b_preferred: forB, low, high, p }) => (
                <tr key={`${a.model} ${a.voice} ${b.model} ${b.voice}`}>
                  <td>
                    {a.voice}, {a.model}
                  </td>
                  <td>
                    {b.voice}, {b.model}
                  </td>
                  <td>
                    {forA} : {forB}
                  </td>
                  <td>
                    {percent(low)} to {percent(high)}
                  </td>
                  <td>{p.toFixed(3)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}
