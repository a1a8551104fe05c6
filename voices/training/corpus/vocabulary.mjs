/** The recogniser's word pieces as a JSON list: `node vocabulary.mjs > vocabulary.json`. Needs llama-tokenizer-js. */
import tokenizer from 'llama-tokenizer-js';

console.log(JSON.stringify(tokenizer.vocabById));
