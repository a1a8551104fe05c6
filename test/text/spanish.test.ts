/** Written Spanish and how it is said; the tables lie in `es-cases/`, one case a line. */
import { testCases } from '../../testkit/text-cases.js';

await testCases('es-cases', 'es-ES', 250);
