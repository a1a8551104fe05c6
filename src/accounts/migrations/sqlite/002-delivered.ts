/**
 * How much of a request was delivered, whatever became of it; what completed before was delivered
 * whole.
 */
export const sql = `
ALTER TABLE ledger ADD COLUMN delivered_characters INTEGER NOT NULL DEFAULT 0
  CHECK (delivered_characters BETWEEN 0 AND characters);
UPDATE ledger SET delivered_characters = characters WHERE outcome = 'completed';
`;
