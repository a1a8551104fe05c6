/** What the operator keeps for all servers of a database, for one of them. */
import type { AccountStore } from '../../accounts/store.js';
import type { Kept, KeptOptions } from '../../server/kept.js';

export async function openKept(
  { store, ...parts }: Omit<KeptOptions, 'store'> & { readonly store: AccountStore },
  signal: AbortSignal,
): Promise<Kept> {
  const { Kept } = await import('../../server/kept.js');
  const kept = new Kept({ ...parts, store: store.kept });
  await kept.watch(signal);
  return kept;
}
