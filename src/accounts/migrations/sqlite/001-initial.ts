/** Keys, what running requests hold, the day's Free counts, grants and the ledger. */
export const sql = `
CREATE TABLE keys (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  hash BLOB NOT NULL UNIQUE,
  tier TEXT NOT NULL CHECK (tier IN ('free', 'partner')),
  name TEXT,
  credits INTEGER NOT NULL CHECK (credits BETWEEN 0 AND 9007199254740991),
  reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved BETWEEN 0 AND credits),
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT
) STRICT;

CREATE TABLE reservations (
  id TEXT PRIMARY KEY,
  key_id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  model TEXT NOT NULL,
  voice TEXT NOT NULL,
  characters INTEGER NOT NULL CHECK (characters >= 0),
  credits INTEGER NOT NULL CHECK (credits >= 0),
  free_day TEXT
) STRICT;

CREATE TABLE free_requests (
  key_id TEXT NOT NULL,
  day TEXT NOT NULL,
  requests INTEGER NOT NULL CHECK (requests >= 0),
  PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
  seq INTEGER PRIMARY KEY,
  time TEXT NOT NULL,
  key_id TEXT NOT NULL,
  credits INTEGER NOT NULL CHECK (credits > 0)
) STRICT;

CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY,
  reservation_id TEXT NOT NULL UNIQUE,
  time TEXT NOT NULL,
  request_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  model TEXT NOT NULL,
  voice TEXT NOT NULL,
  characters INTEGER NOT NULL CHECK (characters >= 0),
  credits INTEGER NOT NULL CHECK (credits >= 0),
  audio_ms INTEGER NOT NULL CHECK (audio_ms >= 0),
  outcome TEXT NOT NULL CHECK (outcome IN ('completed', 'failed', 'cancelled', 'interrupted'))
) STRICT;
CREATE INDEX ledger_by_time ON ledger (time);
CREATE INDEX ledger_by_key ON ledger (key_id, time);
`;
