/** The words that tell where Spanish sentences and clauses end. */
import { createSentenceWords } from '../segment/sentence-ends.js';

export const SENTENCE_WORDS = createSentenceWords({
  leading: `ee jj rr cc ff sr sra srta sres dr dra dres dña prof profa lic ing arq gral cap excmo excma ilmo mons ud_ st sto sta av avda pza ctra
    fdo cía bco dpto depto d p.ej`,
  beforeNumber:
    'núm n no pág págs p pp cap caps art arts vol fig t tel sec aprox máx mín tfno ene feb abr jun jul ago sept oct nov dic',
  beforeSmall:
    'uu oo hh aa etc ej aprox ed vs cf dcha izq izda admón ud uds vd vds máx mín tel km a.c d.c ee.uu s.a s.l',
  dottedEnds: 'a.m p.m ee.uu a.c d.c s.a s.l jj.oo rr.hh cc.aa ff.aa',
  clauseStarts: `pero sino aunque porque pues así entonces cuando mientras si como ya yo tú él ella nosotros ellos ellas usted ustedes
    esto eso hay no luego además`,
  joining: 'y e o u ni',
  relative: 'que quien quienes cual cuales cuyo cuya cuyos cuyas donde',
  introducing: `cuando si aunque después antes mientras como desde en durante sin con para por según tras hoy ayer mañana ahora luego
    entonces primero finalmente además sin_embargo también todavía aún al`,
  clauseOpeners: 'porque aunque mientras si cuando pero que quien donde hasta desde para',
  phraseOpeners: `y o ni en con sin por para de desde hasta hacia sobre entre bajo contra durante según tras ante a al del`,
  clinging: `el la los las un una unos unas mi tu su mis tus sus este esta estos estas ese esa esos esas aquel aquella cada todo toda todos
    todas muy más menos tan no se me te le les lo nos es son era eran fue fueron ha han había hay está están ser más qué cómo
    algún alguna ningún ninguna otro otra de del al`,
  labelled:
    'vitamina plan letra opción grupo tipo clase punto apartado anexo bloque hepatitis sección aula planta puerta',
  letterStarts: 'A Y O E U',
});
