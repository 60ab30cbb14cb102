/** The page at `/gate`: a browser logs in for a service behind the gate, and returns there. (Interface 22) */
import { render } from 'preact';
import { App } from './app.js';

const root = document.getElementById('root');
if (root !== null) render(<App />, root);
