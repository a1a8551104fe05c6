/**
 * The databases' history, one for each dialect: migration n takes a database from version n − 1 to
 * n. Only ever append.
 */
import { sql as postgresInitial } from './postgres/001-initial.js';
import { sql as postgresFreeModels } from './postgres/002-free-models.js';
import { sql as postgresPasses } from './postgres/003-passes.js';
import { sql as postgresRequestLog } from './postgres/004-request-log.js';
import { sql as postgresFunctions } from './postgres/005-functions.js';
import { sql as postgresRotation } from './postgres/006-rotation.js';
import { sql as postgresUsageDays } from './postgres/007-usage-days.js';
import { sql as postgresKept } from './postgres/008-kept.js';
import { sql as postgresJobs } from './postgres/009-jobs.js';
import { sql as postgresDictionaries } from './postgres/010-dictionaries.js';
import { sql as initial } from './sqlite/001-initial.js';
import { sql as delivered } from './sqlite/002-delivered.js';
import { sql as operators } from './sqlite/003-operators.js';
import { sql as leases } from './sqlite/004-leases.js';
import { sql as freeModels } from './sqlite/005-free-models.js';
import { sql as passes } from './sqlite/006-passes.js';
import { sql as requestLog } from './sqlite/007-request-log.js';
import { sql as rotation } from './sqlite/008-rotation.js';
import { sql as usageDays } from './sqlite/009-usage-days.js';
import { sql as kept } from './sqlite/010-kept.js';
import { sql as jobs } from './sqlite/011-jobs.js';
import { sql as dictionaries } from './sqlite/012-dictionaries.js';

export const SQLITE_MIGRATIONS: readonly string[] = [
  initial,
  delivered,
  operators,
  leases,
  freeModels,
  passes,
  requestLog,
  rotation,
  usageDays,
  kept,
  jobs,
  dictionaries,
];
export const POSTGRES_MIGRATIONS: readonly string[] = [
  postgresInitial,
  postgresFreeModels,
  postgresPasses,
  postgresRequestLog,
  postgresFunctions,
  postgresRotation,
  postgresUsageDays,
  postgresKept,
  postgresJobs,
  postgresDictionaries,
];
