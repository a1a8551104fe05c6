/** The words that tell where French sentences and clauses end. */
import { createSentenceWords } from '../segment/sentence-ends.js';

export const SENTENCE_WORDS = createSentenceWords({
  leading: 'm mm mme mmes mlle mlles dr drs pr me mgr st ste cf env av apr bd boul pl ex c.-à-d',
  beforeNumber: 'p pp chap art vol fig no n° t al éd réf tél',
  beforeSmall:
    'etc hab max min janv févr fév avr juil sept oct nov déc lun mar mer jeu ven sam dim dép dir coll resp trad ill',
  clauseStarts: 'mais car donc or puis alors cependant pourtant toutefois sinon',
  joining: 'et ou ni',
  relative: 'qui que dont où lequel laquelle lesquels lesquelles auquel duquel',
  introducing:
    "si quand lorsque lorsqu'il comme après avant pendant depuis dans en au aux à pour selon malgré parce puisque puisqu'il dès chaque hier aujourd'hui demain enfin ensuite ainsi",
  clauseOpeners: 'parce puisque lorsque quand tandis pendant alors mais car donc si comme',
  phraseOpeners: 'avec dans pour sans sous sur vers chez depuis après avant contre entre malgré selon',
  clinging:
    "le la les un une des du de d' l' au aux à en et ou ni ne se me te ce cet cette ces mon ton son ma ta sa mes tes ses notre votre leur nos vos leurs que qui dont où très plus moins si trop tout tous toute toutes",
  labelled: 'vitamine plan groupe classe annexe section point type option hépatite lettre',
  letterStarts: 'A À Y Ô',
  dottedEnds: 'j.-c',
});
