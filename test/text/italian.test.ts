/** Written Italian and how it is said; the tables lie in `it-cases/`, one case a line. */
import { testCases } from '../../testkit/text-cases.js';

await testCases('it-cases', 'it-IT', 250);
