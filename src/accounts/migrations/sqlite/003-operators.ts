/** Limits of a key's own (null: the server's), and what the operator proves who they are with. */
export const sql = `
ALTER TABLE keys ADD COLUMN concurrency INTEGER CHECK (concurrency >= 0);
ALTER TABLE keys ADD COLUMN free_daily INTEGER CHECK (free_daily >= 0);

CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;
`;
