/** The database's history: migration n takes it from version n − 1 to n. Only ever append. */
import { sql as initial } from './001-initial.js';
import { sql as delivered } from './002-delivered.js';
import { sql as operators } from './003-operators.js';

export const MIGRATIONS: readonly string[] = [initial, delivered, operators];
