/**
 * What the operator keeps for all servers of this database (voices and words), with a count of
 * changes that tells servers when to read it again; and sums of comparisons by ear.
 */
export const sql = `
CREATE TABLE kept (
  kind TEXT NOT NULL CHECK (kind IN ('voice', 'word')),
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT;
CREATE TABLE kept_changes (id INTEGER PRIMARY KEY CHECK (id = 1), changes INTEGER NOT NULL) STRICT;
INSERT INTO kept_changes (id, changes) VALUES (1, 0);
CREATE TABLE comparisons (
  a TEXT NOT NULL,
  b TEXT NOT NULL,
  runs INTEGER NOT NULL,
  a_preferred INTEGER NOT NULL,
  b_preferred INTEGER NOT NULL,
  PRIMARY KEY (a, b)
) STRICT;
`;
