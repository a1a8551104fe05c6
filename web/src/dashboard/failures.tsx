/** The last requests that failed, with their ids in the log. */
import { Scroll } from './scroll.js';
import { failures } from './state.js';

const SHOWN = 20;

export function Failures() {
  const list = failures.value;
  return (
    <section class="panel" aria-labelledby="failures-title">
      <h2 id="failures-title">Last errors</h2>
      {list.length === 0 ? (
        <p class="empty">None since the server started.</p>
      ) : (
        <Scroll label="Errors">
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Error</th>
                <th scope="col">Key</th>
                <th scope="col">Request</th>
              </tr>
            </thead>
            <tbody>
              {list.slice(0, SHOWN).map((failure) => (
                <tr key={`${failure.request_id} ${failure.time}`}>
                  <td>{new Date(failure.time).toLocaleTimeString()}</td>
                  <td class="wide">
                    <span class="code">{failure.code}</span> <small class="hint">{failure.message}</small>
                  </td>
                  <td class="code">{failure.key_id ?? '–'}</td>
                  <td class="code">{failure.request_id}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}
