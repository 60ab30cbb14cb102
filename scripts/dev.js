/** `npm run dev`: builds, then is the gateway. Node runs it again at every change (--watch-path). */
import { spawnSync } from 'node:child_process';

const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
if (status === 0) await import('../dist/program/main.js'); // else the next change may help
