/**
 * The request log: what became of each request, never what it said. Indexed for its filters, in
 * order of time.
 */
export const sql = `
CREATE TABLE request_log (
  seq INTEGER PRIMARY KEY,
  time TEXT NOT NULL,
  request_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  route TEXT NOT NULL,
  model TEXT,
  voice TEXT,
  characters INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  audio_ms INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  first_audio_ms INTEGER,
  breaks INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('completed', 'failed', 'cancelled', 'refused')),
  error TEXT,
  worker TEXT,
  trace_id TEXT
) STRICT;
CREATE INDEX request_log_by_time ON request_log (time, seq);
CREATE INDEX request_log_by_key ON request_log (key_id, time, seq);
CREATE INDEX request_log_by_outcome ON request_log (outcome, time, seq);
CREATE INDEX request_log_by_key_and_outcome ON request_log (key_id, outcome, time, seq);
CREATE INDEX request_log_by_request ON request_log (request_id, time, seq);
`;
