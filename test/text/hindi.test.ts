/** Written Hindi and how it is said; the tables lie in `hi-cases/`, one case a line. */
import { testCases } from '../../testkit/text-cases.js';

await testCases('hi-cases', 'hi-IN', 350);
