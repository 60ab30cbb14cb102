/** The page at `/gate`: a browser logs in for a service behind the gate, and returns there. (Interface 22) */
import '../kit/theme.js';
import { render } from 'preact';
import { resume } from '../../client/src/inside.js';
import { auth } from '../kit/auth.js';
import { App } from './app.js';
import { HAS_PROBLEM, IS_ASTRAY } from './leaving.js';

if (!IS_ASTRAY && !HAS_PROBLEM) resume(auth); // many sessions were begun at other origins
const root = document.getElementById('root');
if (root !== null) render(<App />, root);
