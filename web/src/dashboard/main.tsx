/** Entry of the dashboard: the operator sees everything, the holder of a key that key's part. */
import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import { App } from './app.js';
import { keepLoading } from './live.js';
import { begin } from './state.js';

void begin();
keepLoading();
render(<App />, document.getElementById('app')!);
