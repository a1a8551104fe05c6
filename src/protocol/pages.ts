/** Paths and limits of the pages' own requests. Without schemas, so that pages load none. */

export const ADMIN_PATH = '/admin/v1';
/** The cookie of a sign-in, which is sent to the admin path alone. */
export const SESSION_COOKIE = 'tts_session';

export const PLAYGROUND_PATH = '/playground';
/** Jobs of visitors: as `/jobs/v1/speech`. */
export const PLAYGROUND_JOBS_PATH = '/playground/jobs';
/** Most characters of a text that is explained. */
export const MAX_EXPLAINED_CHARS = 4_000;
/** Most rounds of one comparison by ear. */
export const MAX_COMPARED_ROUNDS = 100;
/** Speeds that a comparison by ear offers: few, so that there are few pairs to sum. */
export const COMPARED_SPEEDS: readonly number[] = [0.75, 0.9, 1, 1.1, 1.25, 1.5, 2];
/** Most characters that a word is said as. */
export const MAX_SAID_CHARS = 200;
/** Most characters of the `words` of a session, as JSON. */
export const MAX_SESSION_WORDS_CHARS = 4_000;
/**
 * The playground's own sessions: as `/v1`'s, with mixes for voices, and with `words`, `speed` and
 * `style` in the query.
 */
export const PLAYGROUND_STREAM_PATH = '/playground/stream-input/:voice_id';
