/** The dialog with a new secret, which is shown once: it asks before it is closed uncopied. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../shared/icons.js';
import { Dialog } from '../dialog.js';
import { guardLeaving } from '../router.js';

interface NewSecretProps {
  readonly secret: string;
  readonly note?: string;
  readonly onClose: () => void;
}

/** Without a secure context there is no clipboard to write to: then what is selected is copied. */
async function copyText(text: string, element: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return document.execCommand('copy');
  }
}

export function NewSecret({ secret, note, onClose }: NewSecretProps) {
  const code = useRef<HTMLElement>(null);
  const copied = useSignal(false);
  const asking = useSignal(false);
  const mayClose = () => {
    asking.value = !copied.value;
    return copied.value;
  };
  useLayoutEffect(() => guardLeaving(mayClose), []);
  const copy = async () => {
    copied.value = await copyText(secret, code.current!);
    if (copied.value) asking.value = false;
  };
  return (
    <Dialog title="Here is the key" onClose={onClose} mayClose={mayClose}>
      <p class="hint">Copy it now: the server keeps only its hash and cannot show it again. {note}</p>
      <code
        class="shown-once"
        data-new-key
        ref={code}
        onCopy={() => {
          copied.value = true;
        }}
      >
        {secret}
      </code>
      {asking.value && (
        <p class="problem" role="alert">
          The key was not copied, and nobody can see it again once this is closed.
        </p>
      )}
      <div class="actions">
        <button type="button" class="quiet" onClick={() => void copy()}>
          <Icon name={copied.value ? 'check' : 'copy'} size={16} />
          <span aria-live="polite">{copied.value ? 'Copied' : 'Copy the key'}</span>
        </button>
        {asking.value ? (
          <button type="button" class="danger" onClick={onClose}>
            Close without it
          </button>
        ) : (
          <button type="button" class="primary" onClick={() => mayClose() && onClose()}>
            Done
          </button>
        )}
      </div>
    </Dialog>
  );
}
