/** Pronunciation dictionaries of keys; `value` is JSON. */
export const sql = `
CREATE TABLE dictionaries (
  key_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (key_id, id)
);
`;
