/** Apostrophes, and quotation marks that look like them. */
import type { Rule } from '../normalize/rule.js';
import { isAlphanumeric, type Scan } from '../normalize/scan.js';
import { matchAt } from '../normalize/sticky.js';

const ELIDED = /'(?:em|til|cause|tis|twas|bout|round|n|cos|cuz|kay|fraid|nuff)(?![A-Za-z])/iy;

const AND = /'n'(?![A-Za-z])/iy;

/** Elisions and plural possessives keep their apostrophe; pairs of single quotes are quotes. */
function apostrophe(scan: Scan, at: number): number {
  const { text, out } = scan;
  const after = isAlphanumeric(text.charCodeAt(at - 1));
  if (!after && (text[at + 1] === 'n' || text[at + 1] === 'N') && matchAt(AND, text, at)) {
    out.say('and', at, at + 3);
    return at + 3;
  }
  const before = isAlphanumeric(text.charCodeAt(at + 1));
  if (!after && before && !scan.quotedSingle) {
    if (matchAt(ELIDED, text, at)) {
      out.put("'", at, at + 1);
      return at + 1;
    }
    scan.quotedSingle = true;
    out.open('"', at, at + 1);
    return at + 1;
  }
  if (scan.quotedSingle && !before) {
    scan.quotedSingle = false;
    out.close('"', at, at + 1);
  } else if (after && !before && text[at - 1] === 's' && out.copied) out.copy("'", at);
  return at + 1;
}

export const apostropheRule: Rule = { name: 'apostrophe', begins: { signs: "'" }, apply: apostrophe };
