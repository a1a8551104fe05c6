/** A button that copies a text and briefly confirms it. */
import { useSignal } from '@preact/signals';
import { Icon } from './icons.js';

export interface CopyButtonProps {
  /** The text, or how to make it where that takes long. */
  readonly text: string | (() => string);
  readonly label?: string;
}

export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const copied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    copied.value = true;
    setTimeout(() => {
      copied.value = false;
    }, 1_500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <Icon name={copied.value ? 'check' : 'copy'} size={16} />
      <span aria-live="polite">{copied.value ? 'Copied' : label}</span>
    </button>
  );
}
