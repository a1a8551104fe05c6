/**
 * Free access is counted and limited by model. Rows that are there already hold the counts of all
 * models together: they stay, under the model '', and count for every model, so that no key gets
 * more than its limit on the day of the change. Models are named as in reservations and ledger:
 * base-tts:free.
 */
export const sql = `
CREATE TABLE free_requests_by_model (
  key_id TEXT NOT NULL,
  day TEXT NOT NULL,
  model TEXT NOT NULL,
  requests INTEGER NOT NULL CHECK (requests >= 0),
  PRIMARY KEY (key_id, day, model)
) STRICT, WITHOUT ROWID;
INSERT INTO free_requests_by_model SELECT key_id, day, '', requests FROM free_requests;
DROP TABLE free_requests;
ALTER TABLE free_requests_by_model RENAME TO free_requests;

CREATE TABLE free_limits (
  key_id TEXT NOT NULL,
  model TEXT NOT NULL,
  concurrency INTEGER CHECK (concurrency >= 0),
  free_daily INTEGER CHECK (free_daily >= 0),
  PRIMARY KEY (key_id, model)
) STRICT, WITHOUT ROWID;
`;
