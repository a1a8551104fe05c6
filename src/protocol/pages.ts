/** The paths and bounds of what the pages ask of their server, free of schemas: a page loads no validator. */

export const ADMIN_PATH = '/admin/v1';
/** Of a sign-in; it is sent to the admin path alone. */
export const SESSION_COOKIE = 'tts_session';

export const PLAYGROUND_PATH = '/playground';
/** Of one reading that is explained. */
export const MAX_EXPLAINED_CHARS = 4_000;
