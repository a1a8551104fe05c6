/** A button for the operator, and for everybody else where an operator signs in. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { askOperator, isOperator } from './operator.js';

export interface KeepOnServerProps {
  readonly disabled?: boolean;
  /** Says what was kept. */
  readonly keep: () => Promise<string>;
}

export function KeepOnServer({ disabled = false, keep }: KeepOnServerProps) {
  const told = useSignal<{ readonly text: string; readonly failed: boolean } | undefined>(undefined);
  useEffect(() => void askOperator(), []);
  if (isOperator.value !== true) {
    return (
      <p class="hint">
        The operator can keep this on the server: <a href="/dashboard">sign in</a> and come back.
      </p>
    );
  }
  const act = async () => {
    try {
      told.value = { text: await keep(), failed: false };
    } catch (error) {
      told.value = { text: (error as Error).message, failed: true };
    }
  };
  return (
    <>
      <button type="button" class="quiet" disabled={disabled} onClick={() => void act()}>
        Keep on this server
      </button>
      <p class={told.value?.failed ? 'problem' : 'hint'} role="status" hidden={told.value === undefined}>
        {told.value?.text}
      </p>
    </>
  );
}
