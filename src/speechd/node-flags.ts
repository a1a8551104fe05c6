/** How Node is started for the module, which stays in memory as long as its user is logged in. */

/**
 * Room for new objects, in MB, twice over. Node's own is 16: samples pass through it so quickly
 * that all of it is in use at times, which is 30 MB that are never given back.
 */
const MAX_SEMI_SPACE_MB = 2;

export const NODE_FLAGS: readonly string[] = [`--max-semi-space-size=${MAX_SEMI_SPACE_MB}`];
