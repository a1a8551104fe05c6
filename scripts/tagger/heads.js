/** Writes the words written alike, for which sentences are sought. */
import { homographs } from '../../dist/text/en/pronunciation/homographs.js';

process.stdout.write(`${homographs().join('\n')}\n`);
