/** The panel of a book: what was opened, how far it is, and where it is saved. */
import { useEffect } from 'preact/hooks';
import type { Job } from '../../../../src/protocol/jobs/schemas.js';
import { count, duration } from '../../shared/format.js';
import { Icon } from '../../shared/icons.js';
import { voice, voices } from '../state.js';
import { cancel, forget, isMaking, isSending, job, look, opened, order, save, trouble } from './book.js';

const MB = 1_000_000;

const sizeOf = (bytes: number): string =>
  bytes < MB ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / MB).toFixed(1)} MB`;

export function BookPanel() {
  useEffect(() => void look(), []);
  const file = opened.value;
  const made = job.value;
  if (file === undefined && made === undefined) return null;
  return (
    <section class="card book" aria-label="Book">
      {file === undefined ? <Made of={made!} /> : <Opened file={file} />}
      {trouble.value !== undefined && (
        <p class="problem" role="alert">
          {trouble.value}
        </p>
      )}
    </section>
  );
}

function Close() {
  return (
    <button type="button" class="dismiss" aria-label="Close the book" onClick={forget}>
      <Icon name="close" size={16} />
    </button>
  );
}

function Opened({ file }: { readonly file: File }) {
  const speaker = voices.value.find(({ id }) => id === voice.value)?.display_name ?? voice.value;
  return (
    <>
      <div class="book-head">
        <h2>{file.name}</h2>
        <Close />
      </div>
      <p class="hint">
        {sizeOf(file.size)}, read by {speaker}. The server makes an audiobook with chapters (m4b) in the background;
        this page may be closed meanwhile.
      </p>
      <button
        type="button"
        class="primary"
        disabled={isSending.value}
        aria-busy={isSending.value}
        onClick={() => void order()}
      >
        <Icon name="sound" size={16} />
        Make the audiobook
      </button>
    </>
  );
}

function Made({ of: made }: { readonly of: Job }) {
  const { title, author, chapters, characters, progress, status, result, error } = made;
  return (
    <>
      <div class="book-head">
        <h2>
          {title}
          {author !== null && <small> by {author}</small>}
        </h2>
        {!isMaking.value && <Close />}
      </div>
      <p class="hint">
        {count(chapters.length)} {chapters.length === 1 ? 'chapter' : 'chapters'}, {count(characters)} characters
        {result !== null && `, ${duration(result.audio_ms)}, ${sizeOf(result.bytes)}`}
      </p>
      {isMaking.value && (
        <>
          <progress max={100} value={progress.percent} aria-label="Progress of the book" />
          <p class="hint" role="status">
            {status === 'queued' ? 'Waiting for its turn' : `${progress.percent} %`}
            {progress.chapter !== null && ` · ${progress.chapter}`}
            {progress.left_ms !== null && ` · ${duration(progress.left_ms)} left`}
          </p>
          <button type="button" class="quiet" onClick={() => void cancel()}>
            <Icon name="close" size={16} />
            Cancel
          </button>
        </>
      )}
      {result !== null && (
        <button type="button" class="primary" disabled={isSending.value} onClick={() => void save(made)}>
          <Icon name="down" size={16} />
          Save the audiobook
        </button>
      )}
      {status === 'failed' && <p class="problem">{error?.message}</p>}
      {status === 'completed' && result === null && <p class="hint">Its file was removed.</p>}
    </>
  );
}
