/** Paths, formats and types of jobs. Without schemas, so that pages and clients load none. */

export const JOBS_PATH = '/jobs/v1/speech';

/** Formats of a job's result: those of `tts book` that are one file. `epub` is read along. */
export const JOB_FORMATS = ['m4b', 'm4a', 'mp3', 'opus', 'flac', 'epub'] as const;
export type JobFormat = (typeof JOB_FORMATS)[number];

export const JOB_CONTENT_TYPES: Readonly<Record<JobFormat, string>> = {
  m4b: 'audio/mp4',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  flac: 'audio/flac',
  epub: 'application/epub+zip',
};

/** Content types of a body that is a file, with the ending that says how it is read. */
export const JOB_SOURCE_TYPES: Readonly<Record<string, string>> = {
  'application/epub+zip': '.epub',
  'text/markdown': '.md',
  'text/x-markdown': '.md',
  'text/plain': '.txt',
  'text/html': '.html',
  'application/xhtml+xml': '.xhtml',
};

/** A body of this type is told by its `filename`, or by its first bytes. */
export const ANY_SOURCE_TYPE = 'application/octet-stream';

/** The content type of a file by its name. */
export const sourceTypeOf = (name: string): string => {
  const ending = /\.[a-z]+$/i.exec(name)?.[0].toLowerCase() ?? '';
  const known = Object.entries(JOB_SOURCE_TYPES).find(([, each]) => each === (ending === '.htm' ? '.html' : ending));
  return known?.[0] ?? ANY_SOURCE_TYPE;
};
