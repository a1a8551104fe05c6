/**
 * What the operator keeps for all servers of this database (voices and words), with a count of
 * changes that tells servers when to read it again; and sums of comparisons by ear.
 */
export const sql = `
CREATE TABLE kept (
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('voice', 'word')),
  name TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (kind, name)
);
CREATE TABLE kept_changes (id INTEGER PRIMARY KEY CHECK (id = 1), changes BIGINT NOT NULL);
INSERT INTO kept_changes (id, changes) VALUES (1, 0);
CREATE TABLE comparisons (
  a TEXT COLLATE "C" NOT NULL,
  b TEXT COLLATE "C" NOT NULL,
  runs BIGINT NOT NULL,
  a_preferred BIGINT NOT NULL,
  b_preferred BIGINT NOT NULL,
  PRIMARY KEY (a, b)
);
`;
