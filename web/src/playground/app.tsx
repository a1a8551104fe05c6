/** The playground's page: text, voice and model, playback, and what can be done with the audio. */

import { ApiError } from '../shared/api.js';
import { Header } from '../shared/header.js';
import { Downloads } from './downloads.js';
import { KeyPrompt } from './key-prompt.js';
import { ReadingView } from './lexicon/reading.js';
import { Sheet } from './sheet.js';
import { Snippets } from './snippets.js';
import { key, needsKey, problem, server } from './state.js';
import { Transport } from './transport.js';
import { VoicePicker } from './voices/picker.js';

export function App() {
  return (
    <>
      <Header here="playground">
        {server.value && (
          <span class="pill">
            {server.value.keyless ? 'On this machine, no key needed' : key.value ? 'Key in use' : 'Key needed'}
          </span>
        )}
      </Header>
      <main class="playground">
        <h1 class="lede">
          Write it. <em>Hear it.</em>
        </h1>
        {needsKey.value ? <KeyPrompt /> : <Studio />}
      </main>
      <footer class="foot">
        <p>
          What you write stays on this server. <a href="/docs">Documentation</a>
          {server.value && <span> · version {server.value.version}</span>}
        </p>
      </footer>
    </>
  );
}

function Studio() {
  return (
    <>
      <div class="studio">
        <div class="column">
          <Sheet />
          <Problem />
          <Transport />
        </div>
        <VoicePicker />
      </div>
      <div class="after">
        <ReadingView />
        <Snippets />
        <Downloads />
      </div>
    </>
  );
}

function Problem() {
  const error = problem.value;
  if (error === undefined) return null;
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <p class="problem" role="alert">
      {error.message}
      {requestId && <small> Request {requestId}</small>}
    </p>
  );
}
