/** The words that tell where Hindi sentences and clauses end. */
import { createSentenceWords } from '../segment/sentence-ends.js';

export const SENTENCE_WORDS = createSentenceWords({
  leading: 'डॉ डा प्रो पं स्व कु मो मु इं इंजी एड ले कै श्री श्रीमती नं पृ सं क्र दि एस बी डी एच जे एल एम एन आर टी वी यू एफ एफ़ डब्ल्यू',
  beforeNumber: 'रु रू rs',
  clauseStarts: 'लेकिन परंतु परन्तु किंतु किन्तु मगर पर इसलिए क्योंकि तो फिर जबकि',
  joining: 'और या तथा एवं व',
  relative: 'जो जिस जिसने जिसे जिसका जिसकी जिसके जिनका जिनकी जिनके जिन जहाँ जहां',
  introducing: 'अगर यदि जब जैसे हालाँकि हालांकि चूँकि आज कल अब तब बाद पहले',
  clauseOpeners: 'लेकिन क्योंकि इसलिए ताकि जबकि कि और तो मगर',
  phraseOpeners: 'साथ बिना लिए बाद पहले',
  clinging: 'एक यह वह इस उस मेरा मेरी मेरे अपना अपनी अपने बहुत सबसे कोई कुछ हर',
});
