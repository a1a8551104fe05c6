/** The last things said in this browser: to hear, save, edit and delete. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { SAMPLE_RATE } from '../../audio/recording.js';
import { duration, since } from '../../shared/format.js';
import { Icon } from '../../shared/icons.js';
import { saveAs } from '../player/save-as.js';
import { edit, live, player, playFrom, problem, show, stop, text } from '../state.js';
import { forget, forgetAll, history, historyProblem, loadHistory, recall } from './remember.js';
import { type Kept, MAX_ENTRIES, MAX_SOUND_BYTES, soundBytes } from './store.js';

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

export function History() {
  const isAsked = useSignal(false);
  useEffect(() => void loadHistory(), []);
  const entries = history.value;
  return (
    <section class="panel history" aria-labelledby="history-title">
      <div class="panel-head">
        <h2 id="history-title">History</h2>
        {entries.length > 0 && <ClearAll isAsked={isAsked.value} ask={(asked) => (isAsked.value = asked)} />}
      </div>
      <p class="hint">
        {historyProblem.value ??
          (entries.length === 0
            ? 'What you hear is kept here, in this browser only.'
            : `The last ${MAX_ENTRIES} things said, in this browser only. ` +
              `Sound: ${megabytes(soundBytes(entries))} of ${megabytes(MAX_SOUND_BYTES)}.`)}
      </p>
      <ul class="said-list">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
    </section>
  );
}

interface ClearAllProps {
  readonly isAsked: boolean;
  readonly ask: (asked: boolean) => void;
}

function ClearAll({ isAsked, ask }: ClearAllProps) {
  if (!isAsked) {
    return (
      <button type="button" class="quiet" onClick={() => ask(true)}>
        Clear all
      </button>
    );
  }
  return (
    <span class="sure">
      <button
        type="button"
        class="danger"
        onClick={() => {
          ask(false);
          void forgetAll();
        }}
      >
        Delete everything
      </button>
      <button type="button" class="quiet" onClick={() => ask(false)}>
        Keep it
      </button>
    </span>
  );
}

function Entry({ entry }: { readonly entry: Kept }) {
  const { text: said, voiceName, samples, hasSound, isWhole, atMs } = entry;
  const label = said.length > 60 ? `${said.slice(0, 60)}…` : said;
  const length = duration((samples * 1000) / SAMPLE_RATE);
  return (
    <li>
      <button
        type="button"
        class="round"
        aria-label={`Hear again: ${label}`}
        disabled={!hasSound}
        onClick={() => void replay(entry)}
      >
        <Icon name="play" size={18} />
      </button>
      <div class="said-text">
        <p>{said.slice(0, 200)}</p>
        <small>
          {voiceName} · {length}
          {isWhole ? '' : ', ended early'} · {since(new Date(atMs).toISOString())} ago
          {hasSound ? '' : ' · sound not kept any more'}
        </small>
      </div>
      <div class="said-tools">
        <Tool icon="edit" label={`Edit: ${label}`} onClick={() => use(said)} />
        <Tool
          icon="down"
          label={`Download: ${label}`}
          isOff={!hasSound}
          onClick={() => void attempt(async () => download(entry))}
        />
        <Tool icon="bin" label={`Delete: ${label}`} onClick={() => void forget(entry.id)} />
      </div>
    </li>
  );
}

interface ToolProps {
  readonly icon: 'edit' | 'down' | 'bin';
  readonly label: string;
  readonly isOff?: boolean;
  readonly onClick: () => void;
}

function Tool({ icon, label, isOff = false, onClick }: ToolProps) {
  return (
    <button type="button" class="tool" aria-label={label} title={label} disabled={isOff} onClick={onClick}>
      <Icon name={icon} size={18} />
    </button>
  );
}

async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    problem.value = error as Error;
  }
}

async function replay(entry: Kept): Promise<void> {
  // Within the click: later, a browser would not let it sound.
  void player.open();
  await attempt(async () => {
    const said = await recall(entry);
    if (said === undefined) return;
    stop();
    live.value = false;
    problem.value = undefined;
    show(said);
    playFrom(0);
  });
}

async function download(entry: Kept): Promise<void> {
  const said = await recall(entry);
  if (said) await saveAs('WAV', said);
}

function use(said: string): void {
  edit();
  live.value = false;
  text.value = said;
  document.querySelector<HTMLElement>('textarea.text')?.focus();
  scrollTo({ top: 0 });
}
