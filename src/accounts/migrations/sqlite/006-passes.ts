/**
 * What is shown in place of a key: tickets and sign-ins, by the hashes of what is shown, and how
 * often an address failed. `standing` is what a sign-in rests on: the id of a key, or the hash of
 * the admin secret of that day.
 */
export const sql = `
CREATE TABLE tickets (
  hash BLOB PRIMARY KEY,
  key_id TEXT NOT NULL,
  session BLOB NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tickets_by_key ON tickets (key_id, expires_ms);
CREATE INDEX tickets_by_end ON tickets (expires_ms);

CREATE TABLE sign_ins (
  hash BLOB PRIMARY KEY,
  role TEXT NOT NULL CHECK (role IN ('admin', 'key')),
  standing TEXT NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_ins_by_standing ON sign_ins (standing, expires_ms);

CREATE TABLE failed_attempts (
  kind TEXT NOT NULL,
  address TEXT NOT NULL,
  failures INTEGER NOT NULL,
  ends_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX failed_attempts_by_end ON failed_attempts (ends_ms);
`;
