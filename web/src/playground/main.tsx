/** The playground: write, hear, look closer, take it along. */
import { render } from 'preact';
import { App } from './app.js';
import { begin } from './state.js';

void begin();
render(<App />, document.getElementById('app')!);
