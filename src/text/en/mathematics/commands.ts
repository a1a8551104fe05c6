/** The words of LaTeX's commands and of the signs of mathematics. */
import { GREEK_NAMES, signWords } from '../symbols.js';

const table = (rows: string): ReadonlyMap<string, string> =>
  new Map(
    rows
      .trim()
      .split(/\s*[|\n]\s*/)
      .map((row) => [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)] as const),
  );

/** Relations between two sides, by their command or sign. */
export const RELATIONS: ReadonlyMap<string, string> = table(`
  = equals|< is less than|> is greater than|lt is less than|gt is greater than
  le is less than or equal to|leq is less than or equal to|leqslant is less than or equal to|≤ is less than or equal to
  ge is greater than or equal to|geq is greater than or equal to|geqslant is greater than or equal to|≥ is greater than or equal to
  ne is not equal to|neq is not equal to|≠ is not equal to|ll is much less than|gg is much greater than
  approx is approximately|≈ is approximately|simeq is about|cong is congruent to|≅ is congruent to|equiv is identical to|≡ is identical to
  sim is similar to|∼ is similar to|propto is proportional to|∝ is proportional to|doteq equals
  in is in|∈ is in|notin is not in|∉ is not in|ni contains|∋ contains
  subset is a subset of|⊂ is a subset of|subseteq is a subset of|⊆ is a subset of|subsetneq is a proper subset of
  supset is a superset of|⊃ is a superset of|supseteq is a superset of|⊇ is a superset of
  perp is perpendicular to|⊥ is perpendicular to|parallel is parallel to|∥ is parallel to
  to to|rightarrow to|longrightarrow to|→ to|mapsto maps to|longmapsto maps to|↦ maps to|gets from|leftarrow from|hookrightarrow to
  xrightarrow to|uparrow up|downarrow down|leftrightarrow to and from|nearrow up|searrow down
  implies implies|Rightarrow implies|Longrightarrow implies|⇒ implies|impliedby is implied by|Leftarrow is implied by|⇐ is implied by
  iff if and only if|Leftrightarrow if and only if|Longleftrightarrow if and only if|⇔ if and only if
  coloneqq is defined as|triangleq is defined as|models models|vdash proves|prec precedes|succ succeeds|asymp is asymptotic to
  mid divides|nmid does not divide|rightleftharpoons is in equilibrium with
`);

export const OPERATORS: ReadonlyMap<string, string> = table(`
  + plus|- minus|− minus|* times|× times|times times|· times|cdot times|ast times|∗ times|÷ divided by|div divided by
  pm plus or minus|± plus or minus|mp minus or plus|∓ minus or plus|/ over|setminus minus|∖ minus
  cup union|∪ union|cap intersection|∩ intersection|wedge and|land and|∧ and|vee or|lor or|∨ or
  oplus x or|⊕ x or|otimes tensor|⊗ tensor|circ of|∘ of|bmod mod|mod mod|star star|bullet times|sqcup union|uplus plus|odot times
`);

/** Said before what they belong to. */
export const PREFIXES: ReadonlyMap<string, string> = table(`
  forall for all|∀ for all|exists there exists|∃ there exists|nexists there is no|∄ there is no|neg not|lnot not|¬ not
  angle angle|∠ angle|triangle triangle|△ triangle|therefore therefore|∴ therefore|because because|∵ because
  Re the real part of|Im the imaginary part of|nabla nabla|∇ nabla|partial partial|∂ partial
`);

/** Operands by themselves. */
export const NAMES: ReadonlyMap<string, string> = table(`
  infty infinity|∞ infinity|emptyset the empty set|varnothing the empty set|∅ the empty set|hbar h bar|ell l|aleph aleph
  ldots dot dot dot|dots dot dot dot|cdots dot dot dot|vdots dot dot dot|ddots dot dot dot|dotsc dot dot dot|dotsb dot dot dot|… dot dot dot|⋯ dot dot dot
  prime prime|dagger dagger|degree degrees|° degrees|top top|bot bottom|square square|blacksquare Q E D|Box Q E D|qed Q E D
  imath i|jmath j|wp p|% percent|$ dollars|# number|& and|@ at|_ underscore|checkmark check|complement complement|S section|copyright copyright|pounds pounds|euro euros
`);

/** Functions read without "of" ("sine x"), and those read with it ("the rank of A"). */
const BARE = table(`
    sin sine|cos cosine|tan tangent|cot cotangent|sec secant|csc cosecant|arcsin arc sine|arccos arc cosine|arctan arc tangent
    sinh hyperbolic sine|cosh hyperbolic cosine|tanh hyperbolic tangent|coth hyperbolic cotangent|log log|lg log|hom hom
`);
const WITH_OF = table(`
    ln natural log|exp exp|det the determinant|dim the dimension|ker the kernel|deg the degree|gcd the greatest common divisor
    Pr the probability|lcm the least common multiple|rank the rank|tr the trace|Tr the trace|Var the variance|Cov the covariance|sgn the sign|sign the sign
    span the span|diag the diagonal matrix|erf the error function|softmax softmax|sigmoid sigmoid
`);
export const FUNCTIONS: ReadonlyMap<string, { readonly words: string; readonly of: boolean }> = new Map(
  [...BARE, ...WITH_OF].map(([name, words]) => [name, { words, of: WITH_OF.has(name) }]),
);

/** Signs with limits below and above them. */
export const BIG: ReadonlyMap<string, string> = table(`
  sum the sum|∑ the sum|prod the product|∏ the product|coprod the coproduct|int the integral|∫ the integral
  iint the double integral|∬ the double integral|iiint the triple integral|∭ the triple integral|oint the contour integral|∮ the contour integral
  bigcup the union|bigcap the intersection|bigoplus the direct sum|bigwedge the conjunction|bigvee the disjunction|bigotimes the tensor product
  lim the limit|limsup the limit superior|liminf the limit inferior|max the maximum|min the minimum|sup the supremum|inf the infimum
  argmax arg max|argmin arg min
`);

/** Said behind the letter, unless `vector`. */
export const ACCENTS: ReadonlyMap<string, string> = table(`
  bar bar|overline bar|hat hat|widehat hat|tilde tilde|widetilde tilde|dot dot|ddot double dot|vec vector|overrightarrow vector
  check check|breve breve|acute acute|grave grave|mathring ring
`);

/** Not heard at all; a pause where it is wide. */
export const SILENT: ReadonlySet<string> = new Set(
  (
    ', ; : ! > displaystyle textstyle scriptstyle limits nolimits nonumber notag big Big bigg Bigg bigl bigr Bigl Bigr biggl ' +
    'biggr Biggl Biggr middle hline left right boldmath rm bf it cal mathstrut strut noindent centering'
  ).split(' '),
);
export const WIDE: ReadonlySet<string> = new Set(['quad', 'qquad', 'newline']);
/** What they have in braces is not said. */
export const DROPPED: ReadonlySet<string> = new Set(
  'label tag hspace vspace phantom hphantom vphantom color textcolor ref eqref'.split(' '),
);
/** Fonts and boxes, of which only the content is said. */
export const STYLES: ReadonlySet<string> = new Set(
  (
    'mathbf mathit mathsf mathtt mathcal mathscr mathfrak boldsymbol bm pmb boxed underline underbrace overbrace ' +
    'cancel fbox ce pu mathbin mathrel mathop mathord substack'
  ).split(' '),
);
/** What they have in braces are words. */
export const TEXTS: ReadonlySet<string> = new Set(
  'text textrm textbf textit textsf texttt mathrm mbox operatorname textnormal hbox'.split(' '),
);

/** `\mathbb`: the sets of numbers, by their letter. */
export const SETS: ReadonlyMap<string, string> = new Map([
  ['R', 'the real numbers'],
  ['N', 'the natural numbers'],
  ['Z', 'the integers'],
  ['Q', 'the rational numbers'],
  ['C', 'the complex numbers'],
]);

const GREEK: ReadonlySet<string> = new Set(GREEK_NAMES.values());

/** The letter of a command such as `\varepsilon`. */
export function greekName(command: string): string | undefined {
  const name = command.replace(/^var/, '').toLowerCase();
  return GREEK.has(name) ? name : undefined;
}

/** The words of a sign that no table here has. */
export const otherSign = (sign: string): string | undefined => signWords(sign);
