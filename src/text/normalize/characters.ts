/** What single characters of punctuation mean, whatever alphabet or keyboard they come from. */

/** Pairs of "characters written many ways" and the one way the later rules know. */
const SAME: readonly (readonly [string, string])[] = [
  ['“”„‟«»「」『』《》〈〉〝〞〟＂❝❞″˝ˮ״', '"'],
  ['‘’‚‛‹›ʼʻʽ＇❛❜′´ˈ׳ߴ', "'"],
  ['‐‑﹣⁃', '-'],
  ['–‒', '–'],
  ['—―⸺⸻﹘︱〜～', '—'],
  ['−➖', '−'],
  ['\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000', ' '],
  ['。．｡।॥۔։።᙮᠃', '. '],
  ['、，،﹐﹑、՝፣᠂', ', '],
  ['；؛﹔፤', '; '],
  ['：﹕፥', ': '],
  ['！﹗❗❕‼', '! '],
  ['？؟﹖⁇❓❔՞፧', '? '],
  ['⁈⁉‽', '?! '],
  ['…⋯︙', '…'],
  ['【〔［〖﹝', ' ['],
  ['】〕］〗﹞', '] '],
  ['（﹙⟨', ' ('],
  ['）﹚⟩', ') '],
  ['•‣◦▪▸▹►▻●○■□◆◇▶◼◾⁌⁍∙・･', '•'],
  ['μ', 'µ'],
  ['Ω', 'Ω'],
  ['∆', 'Δ'],
  ['⁄∕／', '/'],
  ['∶', ':'],
  ['∗＊✱✳', '*'],
  ['⋅∙', '·'],
  ['➕', '+'],
  ['➗', '÷'],
  ['✖✕╳⨯', '×'],
  ['➔➜➝➞➡⟶⇾↦⮕', '→'],
  ['⟹⇨', '⇒'],
  ['⬅⟵', '←'],
  ['⟷⬌', '↔'],
  ['⟺', '⇔'],
  ['✓✔☑', '✓'],
  ['✗✘', '✗'],
  ['⩽≦', '≤'],
  ['⩾≧', '≥'],
  ['♥❤', '❤'],
  ['\u2028', '\n'],
  ['\u2029', '\n\n'],
  ['ª', 'a'],
  ['º', '°'],
  ['ı', 'i'],
  ['ſ', 's'],
];

export function characterTable(): ReadonlyMap<string, string> {
  const table = new Map<string, string>();
  for (let n = 1; n <= 12; n++) {
    table.set(String.fromCharCode(0x215f + n), String(n));
    table.set(String.fromCharCode(0x216f + n), String(n));
  }
  for (const [many, one] of SAME) for (const char of many) if (!table.has(char)) table.set(char, one);
  return table;
}
