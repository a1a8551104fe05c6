/** Live sessions, and a button that ends one. */
import { since } from '../shared/format.js';
import { Scroll } from './scroll.js';
import { endSession, identity, sessions } from './state.js';

export function Sessions() {
  const list = sessions.value;
  const isOperator = identity.value?.role === 'admin';
  return (
    <section class="panel" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Live sessions</h2>
      {list.length === 0 ? (
        <p class="empty">No live sessions.</p>
      ) : (
        <Scroll label="Sessions">
          <table>
            <thead>
              <tr>
                <th scope="col">Request</th>
                {isOperator && <th scope="col">Key</th>}
                <th scope="col">Route</th>
                <th scope="col">Model and voice</th>
                <th scope="col" class="number">
                  Characters
                </th>
                <th scope="col" class="number">
                  First audio
                </th>
                <th scope="col" class="number">
                  For
                </th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map((session) => (
                <tr key={session.id}>
                  <td class="code">{session.request_id}</td>
                  {isOperator && <td class="code">{session.key_id}</td>}
                  <td>{session.route === 'stream_input' ? 'WebSocket' : 'HTTP'}</td>
                  <td>
                    {session.model} <small class="hint">{session.voice}</small>
                  </td>
                  <td class="number">{session.characters}</td>
                  <td class="number">{session.first_audio_ms === null ? '–' : `${session.first_audio_ms} ms`}</td>
                  <td class="number">{since(session.started_at)}</td>
                  <td>
                    <div class="actions">
                      <button type="button" class="quiet" onClick={() => void endSession(session.id)}>
                        End
                      </button>
                    </div>
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
