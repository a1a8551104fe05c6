/** Entry of the playground. */
import { render } from 'preact';
import { App } from './app.js';
import { begin } from './state.js';

void begin();
render(<App />, document.getElementById('app')!);
