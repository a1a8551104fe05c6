/**
 * A key's secret can be replaced: how often that was done, when, and the secret before, which works
 * until its end by the database's clock.
 */
export const sql = `
ALTER TABLE keys ADD COLUMN rotations BIGINT NOT NULL DEFAULT 0 CHECK (rotations >= 0);
ALTER TABLE keys ADD COLUMN rotated_at TEXT COLLATE "C";
ALTER TABLE keys ADD COLUMN previous_hash BYTEA;
ALTER TABLE keys ADD COLUMN previous_ends_ms BIGINT;
`;
