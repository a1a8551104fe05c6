/**
 * Jobs: speech that is ordered now and fetched later. What they reserved is held under a lease of
 * its own that never runs out, so that no server returns it: a job outlives its server.
 */
export const sql = `
CREATE TABLE jobs (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key_id TEXT NOT NULL,
  reservation_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('new', 'queued', 'running', 'ending', 'ended')),
  outcome TEXT CHECK (outcome IN ('completed', 'failed', 'cancelled')),
  speech TEXT NOT NULL,
  model TEXT NOT NULL,
  voice TEXT NOT NULL,
  characters INTEGER NOT NULL CHECK (characters >= 0),
  credits INTEGER NOT NULL DEFAULT 0 CHECK (credits >= 0),
  made_characters INTEGER NOT NULL DEFAULT 0,
  audio_ms INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  epoch INTEGER NOT NULL DEFAULT 0,
  lease_ms INTEGER NOT NULL DEFAULT 0,
  progress TEXT,
  result TEXT,
  error TEXT,
  created_ms INTEGER NOT NULL,
  started_ms INTEGER,
  ended_ms INTEGER,
  expires_ms INTEGER,
  webhook_url TEXT,
  webhook_secret TEXT,
  webhook_state TEXT CHECK (webhook_state IN ('waiting', 'due', 'delivered', 'failed')),
  webhook_attempts INTEGER NOT NULL DEFAULT 0,
  webhook_due_ms INTEGER,
  webhook_error TEXT
) STRICT;
CREATE INDEX jobs_by_key ON jobs (key_id, seq);
CREATE INDEX jobs_open ON jobs (state) WHERE state <> 'ended';
CREATE INDEX jobs_expiring ON jobs (expires_ms) WHERE expires_ms IS NOT NULL;
CREATE INDEX jobs_webhooks ON jobs (webhook_due_ms) WHERE webhook_state = 'due';
INSERT INTO leases (holder, expires_ms) VALUES ('jobs', 9007199254740991);
`;
