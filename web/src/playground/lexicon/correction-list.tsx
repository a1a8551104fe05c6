/** The words that were corrected: to take along as a lexicon file, or to keep on the server. */
import { Icon } from '../../shared/icons.js';
import { saveFile } from '../../shared/save-file.js';
import { KeepOnServer } from '../keep-on-server.js';
import { keepOnServer } from '../operator.js';
import { asLexicon, corrections, forget } from './corrections.js';

export function Corrections({ onChange }: { readonly onChange: () => void }) {
  const entries = Object.entries(corrections.value);
  if (entries.length === 0) return null;
  const keep = async () => {
    for (const [word, said] of entries) await keepOnServer('lexicon', word, { said });
    return `${entries.length === 1 ? 'It is' : `All ${entries.length} are`} read so for everybody from now on.`;
  };
  return (
    <div class="corrections">
      <h3>Your corrections</h3>
      <p class="hint">Kept in this browser and used for what you hear here.</p>
      <ul>
        {entries.map(([word, said]) => (
          <li key={word}>
            <span>
              <strong>{word}</strong> {said}
            </span>
            <button
              type="button"
              class="correct"
              aria-label={`Remove the correction of ${word}`}
              onClick={() => {
                forget(word);
                onChange();
              }}
            >
              <Icon name="close" size={14} />
            </button>
          </li>
        ))}
      </ul>
      <div class="corrections-acts">
        <button
          type="button"
          class="quiet"
          onClick={() => saveFile('lexicon.txt', asLexicon(corrections.value), 'text/plain')}
        >
          Save as a lexicon file
        </button>
        <KeepOnServer keep={keep} />
      </div>
    </div>
  );
}
