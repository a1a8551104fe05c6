/**
 * What is shown in place of a key: tickets and sign-ins, by the hashes of what is shown, and how
 * often an address failed. `standing` is what a sign-in rests on: the id of a key, or the hash of
 * the admin secret of that day.
 */
export const sql = `
CREATE TABLE tickets (
  hash BYTEA PRIMARY KEY,
  key_id TEXT COLLATE "C" NOT NULL,
  session BYTEA NOT NULL,
  expires_ms BIGINT NOT NULL
);
CREATE INDEX tickets_by_key ON tickets (key_id, expires_ms);
CREATE INDEX tickets_by_end ON tickets (expires_ms);

CREATE TABLE sign_ins (
  hash BYTEA PRIMARY KEY,
  role TEXT NOT NULL CHECK (role IN ('admin', 'key')),
  standing TEXT COLLATE "C" NOT NULL,
  expires_ms BIGINT NOT NULL
);
CREATE INDEX sign_ins_by_standing ON sign_ins (standing, expires_ms);

CREATE TABLE failed_attempts (
  kind TEXT COLLATE "C" NOT NULL,
  address TEXT COLLATE "C" NOT NULL,
  failures BIGINT NOT NULL,
  ends_ms BIGINT NOT NULL,
  PRIMARY KEY (kind, address)
);
CREATE INDEX failed_attempts_by_end ON failed_attempts (ends_ms);
`;
