/** A modal dialog: the browser's own, which keeps the focus inside and closes by Escape. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Asked before Escape closes it; it stays open where this is false. */
  readonly mayClose?: () => boolean;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, mayClose = () => true, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  // A layout effect opens the dialog before its first paint, so that Escape closes a visible dialog
  // at once. On close, the browser returns the focus to the element that had it before.
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        if (!mayClose()) event.preventDefault();
      }}
      onClose={({ currentTarget }) => {
        // The event is queued: after an unmount it arrives when the dialog has left the page.
        if (!currentTarget.isConnected) return;
        // Browsers let a second Escape through, whatever was said to the first.
        if (mayClose()) onClose();
        else currentTarget.showModal();
      }}
    >
      <div class="fields">
        <h2 id="dialog-title">{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
