/** A choice among all keys, `local` included. */
import { keys, LOCAL_KEY } from './state.js';

interface KeyChoiceProps {
  readonly label: string;
  /** Empty for all keys. */
  readonly value: string;
  readonly onChoose: (keyId: string) => void;
}

export function KeyChoice({ label, value, onChoose }: KeyChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">All keys</option>
      {[LOCAL_KEY, ...keys.value].map(({ id, name }) => (
        <option key={id} value={id}>
          {name ?? id}
        </option>
      ))}
    </select>
  );
}
