/** Entry of the comparison. */
import { render } from 'preact';
import { App } from './app.js';
import { begin } from './state.js';

render(<App />, document.getElementById('app')!);
void begin();
