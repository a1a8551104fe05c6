/** Overview for the holder of a key: credits and use. */
import { count } from '../shared/format.js';
import { KeyState } from './keys.js';
import { identity, keys, sessions } from './state.js';

export function OwnKey() {
  const key = keys.value[0] ?? identity.value?.key;
  if (key === undefined) return null;
  const figures = [
    ['Name', key.name ?? key.id],
    ['Credits', key.tier === 'partner' ? count(key.credits - key.reserved) : 'none needed'],
    ['Requests today', count(key.today?.requests ?? 0)],
    ['Characters today', count(key.today?.characters ?? 0)],
    ...Object.entries(key.today?.free_requests_by_model ?? {}).map(
      ([model, requests]) => [`${model}:free today`, count(requests)] as const,
    ),
    ['Live sessions', count(sessions.value.length)],
  ] as const;
  return (
    <>
      <p>
        <KeyState of={key} />
      </p>
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
