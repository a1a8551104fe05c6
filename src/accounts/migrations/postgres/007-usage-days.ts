/**
 * The ledger in sums by UTC day, key and model, so that a year is read without its requests.
 * `usage_rolled` says up to which ledger row the sums go (`seq`) and up to which they may go next
 * (`next_seq`, which was the last row at `next_ms`). Rows that were interrupted may still change:
 * they are listed in `usage_loose` and never summed.
 */
export const sql = `
CREATE TABLE usage_days (
  day TEXT COLLATE "C" NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  requests BIGINT NOT NULL,
  unfinished BIGINT NOT NULL,
  characters BIGINT NOT NULL,
  delivered_characters BIGINT NOT NULL,
  credits BIGINT NOT NULL,
  audio_ms BIGINT NOT NULL,
  PRIMARY KEY (day, key_id, model)
);
CREATE INDEX usage_days_by_key ON usage_days (key_id, day, model);

CREATE TABLE usage_rolled (
  seq BIGINT NOT NULL,
  next_seq BIGINT NOT NULL,
  next_ms BIGINT NOT NULL
);
INSERT INTO usage_rolled (seq, next_seq, next_ms) VALUES (0, 0, 0);

CREATE TABLE usage_loose (seq BIGINT PRIMARY KEY);
`;
