/** What went wrong, with what can be done about it. */
import { ApiError } from '../../shared/api.js';
import { Icon } from '../../shared/icons.js';
import { keyLost, needsKey, problem } from '../state.js';

export function Problem() {
  const error = problem.value;
  // The region stands there before its text comes, so that screen readers tell it.
  return (
    <div role="alert" class="transport-problem">
      {error && (
        <p class="problem">
          <span class="problem-text">
            {error.message}
            {keyLost.value !== undefined && ' Your text is still here.'}
            {error instanceof ApiError && error.requestId && <small> Request {error.requestId}</small>}
          </span>
          {needsKey.value && (
            <button type="button" class="quiet" onClick={() => document.getElementById('key')?.focus()}>
              Use another key
            </button>
          )}
          <button
            type="button"
            class="dismiss"
            aria-label="Dismiss"
            onClick={() => {
              problem.value = undefined;
            }}
          >
            <Icon name="close" size={16} />
          </button>
        </p>
      )}
    </div>
  );
}
