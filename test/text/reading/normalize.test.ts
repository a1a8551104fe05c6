/**
 * Written English and how it is said, class by class; the tables lie in `normalize-cases/`, one
 * case a line.
 */
import { testCases } from '../../../testkit/text-cases.js';

await testCases('normalize-cases', 'en-US', 1_200);
