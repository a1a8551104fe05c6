/**
 * The ledger in sums by UTC day, key and model, so that a year is read without its requests.
 * `usage_rolled` says up to which ledger row the sums go (`seq`) and up to which they may go next
 * (`next_seq`, which was the last row at `next_ms`). Rows that were interrupted may still change:
 * they are listed in `usage_loose` and never summed.
 */
export const sql = `
CREATE TABLE usage_days (
  day TEXT NOT NULL,
  key_id TEXT NOT NULL,
  model TEXT NOT NULL,
  requests INTEGER NOT NULL,
  unfinished INTEGER NOT NULL,
  characters INTEGER NOT NULL,
  delivered_characters INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  audio_ms INTEGER NOT NULL,
  PRIMARY KEY (day, key_id, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_by_key ON usage_days (key_id, day, model);

CREATE TABLE usage_rolled (
  seq INTEGER NOT NULL,
  next_seq INTEGER NOT NULL,
  next_ms INTEGER NOT NULL
) STRICT;
INSERT INTO usage_rolled (seq, next_seq, next_ms) VALUES (0, 0, 0);

CREATE TABLE usage_loose (seq INTEGER PRIMARY KEY) STRICT;
`;
