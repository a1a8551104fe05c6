/** The words that tell where Portuguese sentences and clauses end. */
import { createSentenceWords } from '../segment/sentence-ends.js';

export const SENTENCE_WORDS = createSentenceWords({
  leading: 'sr sra srta srs dr dra prof profa eng exmo exma ilmo d gen cel cap pe sto sta av r pça rod p.ex v.exa',
  beforeNumber:
    'nº n núm pág págs p pp cap caps art arts vol fig tab tel cel séc aprox máx mín ap apto jan fev abr jun jul ago set out nov dez',
  beforeSmall: 'etc ex aprox ed vs cf tel cel máx mín obs dept depto ltda cia a.c d.c s.a e.u.a',
  dottedEnds: 'a.m p.m a.c d.c s.a e.u.a',
  clauseStarts: `mas porém contudo porque pois quando enquanto se como eu tu ele ela nós eles elas você vocês isto isso há não então
    assim além depois`,
  joining: 'e ou nem',
  relative: 'que quem qual quais cujo cuja cujos cujas onde',
  introducing: `quando se embora depois antes enquanto como desde em durante sem com para por segundo após hoje ontem amanhã agora logo
    então primeiro finalmente além também ainda ao no na`,
  clauseOpeners: 'porque embora enquanto se quando mas que quem onde até desde para',
  phraseOpeners:
    'e ou nem em com sem por para de desde até sobre entre sob contra durante segundo após a ao à no na do da pelo pela',
  clinging: `o a os as um uma uns umas meu teu seu minha tua sua este esta esse essa aquele aquela cada todo toda todos todas muito mais
    menos tão não se me te lhe nos é são era eram foi foram há está estão ser que de do da dos das algum alguma nenhum outro
    outra ao`,
  labelled: 'vitamina plano letra opção grupo tipo classe ponto anexo bloco hepatite seção sala andar porta',
  letterStarts: 'A E O',
});
