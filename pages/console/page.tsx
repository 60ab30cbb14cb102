/** The page at `/console`: see who is logged in and what happened, and end it. A client of `/auth` and `/graphql`. */
import '../kit/theme.js';
import { render } from 'preact';
import { App } from './app.js';

const root = document.getElementById('root');
if (root !== null) render(<App />, root);
