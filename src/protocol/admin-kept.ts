/** What the operator keeps for all servers, and what listeners preferred: schemas and types. */
import type { Static } from 'typebox';
import { Type } from './schema.js';

const Compared = Type.Object({ model: Type.String(), voice: Type.String() });

export const AdminComparisons = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        a: Compared,
        b: Compared,
        runs: Type.Integer({ description: 'Finished comparisons' }),
        a_preferred: Type.Integer({ description: 'Rounds' }),
        b_preferred: Type.Integer({ description: 'Rounds' }),
        low: Type.Number({ description: 'The 95 % Wilson interval of the share of `a`' }),
        high: Type.Number(),
        p: Type.Number({ description: 'Exact and two-sided: how often chance alone is as uneven' }),
      }),
      { description: 'The pairs with most rounds first' },
    ),
  },
  { $id: 'AdminComparisons' },
);
export type AdminComparisons = Static<typeof AdminComparisons>;
