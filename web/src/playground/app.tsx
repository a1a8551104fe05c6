/** The playground's page: text, voice and model, playback, and what was heard before. */

import { Header } from '../shared/header.js';
import { BookPanel } from './book/panel.js';
import { History } from './history/history.js';
import { KeyPrompt } from './key-prompt.js';
import { ReadingView } from './lexicon/reading.js';
import { Facts } from './player/facts.js';
import { Transport } from './player/transport.js';
import { Snippets } from './snippets/snippets.js';
import { needsKey, problem, server, voices } from './state.js';
import { Sheet } from './text/sheet.js';
import { VoicePicker } from './voices/picker.js';

export function App() {
  // A visitor whose key was lost keeps the page and its text.
  const isOpen = voices.value.length > 0 || server.value?.keyless === true;
  return (
    <>
      <Header here="playground">
        {server.value && (
          <span class="pill">
            {server.value.keyless ? 'On this machine, no key needed' : needsKey.value ? 'Key needed' : 'Key in use'}
          </span>
        )}
      </Header>
      <main class="playground">
        <h1 class="lede">
          Write it. <em>Hear it.</em>
        </h1>
        {needsKey.value && <KeyPrompt />}
        {isOpen && <Studio />}
        {!isOpen && !needsKey.value && problem.value && (
          <p class="problem" role="alert">
            {problem.value.message}
          </p>
        )}
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
          <BookPanel />
          <Sheet />
          <Transport />
          <Facts />
        </div>
        <VoicePicker />
      </div>
      <div class="after">
        <ReadingView />
        <Snippets />
        <History />
      </div>
    </>
  );
}
