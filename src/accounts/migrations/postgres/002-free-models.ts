/**
 * Free access is counted and limited by model. Rows that are there already hold the counts of all
 * models together: they stay, under the model '', and count for every model, so that no key gets
 * more than its limit on the day of the change. Models are named as in reservations and ledger:
 * base-tts:free.
 */
export const sql = `
ALTER TABLE free_requests ADD COLUMN model TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE free_requests ALTER COLUMN model DROP DEFAULT;
ALTER TABLE free_requests DROP CONSTRAINT free_requests_pkey;
ALTER TABLE free_requests ADD PRIMARY KEY (key_id, day, model);

CREATE TABLE free_limits (
  key_id TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  concurrency BIGINT CHECK (concurrency >= 0),
  free_daily BIGINT CHECK (free_daily >= 0),
  PRIMARY KEY (key_id, model)
);
`;
