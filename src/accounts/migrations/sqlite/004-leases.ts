/**
 * Which server holds a reservation and how long it is believed to live; a key's open requests are
 * counted by an index.
 */
export const sql = `
ALTER TABLE reservations ADD COLUMN holder TEXT NOT NULL DEFAULT '';
CREATE INDEX reservations_by_key ON reservations (key_id);
CREATE TABLE leases (
  holder TEXT PRIMARY KEY,
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
