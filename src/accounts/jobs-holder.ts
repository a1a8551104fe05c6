/** Holds the reservations of jobs, which outlive servers (migrations/sqlite/011-jobs.ts). */
export const JOBS_HOLDER = 'jobs';
