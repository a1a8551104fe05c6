/** Work that nobody waits for second by second. */
import { constants, getPriority, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Lets other work of the machine go first: encoding a book takes half of a core, which listeners
 * beside it would miss. On Linux this is a thread's own priority, elsewhere that of its process.
 */
export function workInBackground(): void {
  try {
    if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
  } catch {
    // Some sandboxes forbid it, and the work is then as urgent as any.
  }
}
