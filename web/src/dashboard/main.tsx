/** The dashboard: for the operator everything, for the holder of a key their own part. */
import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import { App } from './app.js';
import { begin } from './state.js';

void begin();
render(<App />, document.getElementById('app')!);
