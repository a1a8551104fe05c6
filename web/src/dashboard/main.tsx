/** Entry of the dashboard: the operator sees everything, the holder of a key that key's part. */
import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import { App } from './app.js';
import { begin } from './state.js';

void begin();
render(<App />, document.getElementById('app')!);
