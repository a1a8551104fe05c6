/** Written French and how it is said; the tables lie in `fr-cases/`, one case a line. */
import { testCases } from '../../testkit/text-cases.js';

await testCases('fr-cases', 'fr-FR', 350);
