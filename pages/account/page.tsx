/** The page at `/account`: people look after what is their own. It is built on the client package alone. (Interface 21) */
import '../kit/theme.js';
import { render } from 'preact';
import { App } from './app.js';

const root = document.getElementById('root');
if (root !== null) render(<App />, root);
