/** A choice among a few values, and one among all keys. */
import { keys, LOCAL_KEY } from './state.js';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  readonly onChoose: (value: Value) => void;
}

export function Choice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value as Value)}>
      {Object.entries<string>(options).map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

interface KeyChoiceProps {
  readonly label: string;
  /** Empty for all keys. */
  readonly value: string;
  readonly onChoose: (keyId: string) => void;
}

export function KeyChoice({ label, value, onChoose }: KeyChoiceProps) {
  const named = [LOCAL_KEY, ...(keys.value ?? [])].map(({ id, name }) => ({ id, name: name ?? id }));
  return (
    <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">All keys</option>
      {named.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
