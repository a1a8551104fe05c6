/** Overview for the holder of a key: credits and use. */
import { count } from '../shared/format.js';
import { Figures } from './figures.js';
import { KeyStateTag } from './keys/key-state.js';
import { sessions } from './sessions.js';
import { identity, keys } from './state.js';

export function OwnKey() {
  const key = keys.value?.[0] ?? identity.value?.key;
  if (key === undefined) return null;
  const byModel = Object.entries(key.today?.free_requests_by_model ?? {});
  return (
    <>
      <p>
        <KeyStateTag of={key} />
      </p>
      <Figures
        of={[
          { name: 'Name', value: key.name ?? key.id },
          { name: 'Credits', value: key.tier === 'partner' ? count(key.credits - key.reserved) : 'none needed' },
          { name: 'Requests today', value: count(key.today?.requests ?? 0) },
          { name: 'Characters today', value: count(key.today?.characters ?? 0) },
          ...byModel.map(([model, requests]) => ({ name: `${model}:free today`, value: count(requests) })),
          { name: 'Live sessions', value: count(sessions.value.length) },
        ]}
      />
    </>
  );
}
