/** Pronunciation dictionaries of keys; `value` is JSON. */
export const sql = `
CREATE TABLE dictionaries (
  key_id TEXT NOT NULL,
  id TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (key_id, id)
) STRICT;
`;
