/**
 * `npm run dev`: builds and starts the gateway, and does both again at every change. If it does not build, or ends by
 * itself, it waits for the next change. Words after it are for Node: `npm run dev -- --inspect`.
 * Node's own `--watch-path` is no help: it loses sight of a file that an editor or git has replaced.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { watch } from 'chokidar';

const WATCHED = [
  'src',
  'migrations',
  'client/src',
  'pages',
  'scripts',
  'schema.graphql',
  'examples/services/signed.sh',
  'node_modules/.package-lock.json',
];
/** Many files at once, as by a checkout, are one change. */
const SETTLED_MS = 100;

const NODE_OPTIONS = [process.env.NODE_OPTIONS, ...process.argv.slice(2)].filter(Boolean).join(' ');
let hasChanged = false;
let isEnding = false;
/** What runs: a change waits for a build, and stops a gateway. */
let build;
let gateway;

const watcher = watch(WATCHED, { ignoreInitial: true });
watcher.on('all', (_event, path) => {
  if (!hasChanged) say(`${path} has changed`);
  hasChanged = true;
  gateway?.kill();
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    isEnding = true;
    gateway?.kill();
    if (build === undefined && gateway === undefined) process.exit();
  });
}

while (!isEnding) {
  hasChanged = false;
  build = spawn(process.execPath, ['scripts/build.js'], { stdio: 'inherit' });
  const [failed] = await once(build, 'exit');
  build = undefined;
  if (failed === 0 && !hasChanged && !isEnding) {
    gateway = spawn('bin/auth-gateway', ['start'], { stdio: 'inherit', env: { ...process.env, NODE_OPTIONS } });
    await once(gateway, 'exit');
    gateway = undefined;
  }
  if (isEnding) break;
  if (!hasChanged) {
    say('not running; waiting for the next change');
    await once(watcher, 'all');
  }
  await setTimeout(SETTLED_MS);
}
process.exit();

function say(text) {
  process.stderr.write(`-- ${text}\n`);
}
