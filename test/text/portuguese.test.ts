/** Written Portuguese and how it is said; the tables lie in `pt-cases/`, one case a line. */
import { testCases } from '../../testkit/text-cases.js';

await testCases('pt-cases', 'pt-BR', 250);
