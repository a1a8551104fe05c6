/** The words that tell where Italian sentences and clauses end. */
import { createSentenceWords } from '../segment/sentence-ends.js';

export const SENTENCE_WORDS = createSentenceWords({
  leading: `sig sigg sig.ra sig.na dott dott.ssa dr prof prof.ssa ing avv arch geom rag on sen gen mons egr gent spett p.es ad.es
    l'ing l'avv l'arch l'on v.le p.zza c.so f.lli`,
  beforeNumber:
    'n num nr pag pagg p pp cap art artt vol fig tab tel cell sez ca max min feb apr giu lug ago sett ott nov dic',
  beforeSmall: 'ecc etc es ca ed vs cfr dx sx prov tel cell max min a.c d.c s.p.a s.r.l',
  dottedEnds: 'a.m p.m a.c d.c s.p.a s.r.l n.b p.s',
  clauseStarts: `ma però anzi quindi dunque perché poiché quando mentre se come io tu lui lei noi voi loro questo quello c'è non poi
    allora infatti inoltre così`,
  joining: 'e ed o od né',
  relative: 'che chi cui quale quali dove',
  introducing: `quando se sebbene dopo prima mentre come da in durante senza con per secondo oggi ieri domani ora poi allora infine
    inoltre finalmente anche ancora nel nella`,
  clauseOpeners: 'perché mentre se quando ma che chi dove finché affinché',
  phraseOpeners:
    'e o né in con senza per di da fino verso su sopra tra fra sotto contro durante secondo a al alla nel nella dal dalla',
  clinging: `il lo la i gli le un uno una mio tuo suo mia tua sua questo questa questi queste quello quella quei ogni tutto tutta tutti
    tutte molto più meno così non si mi ti ci vi è sono era erano fu ha hanno aveva c'è essere che di del della dei delle al alla
    altro altra`,
  labelled: 'vitamina piano lettera opzione gruppo tipo classe punto allegato blocco epatite sezione aula scala porta',
  letterStarts: 'A E O I',
});
