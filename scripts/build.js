/**
 * `npm run build`: compiles and bundles, or finds in a moment that nothing has changed. What counts is what the files
 * hold, whatever their times say; they are read again if anything is new in their names, sizes, times or inodes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** From which the program is made; the lock is of the packages as they are installed. */
const MADE_FROM = [
  ...['src', 'migrations', 'pages', 'scripts', 'schema.graphql', 'examples/services/signed.sh'],
  ...['client/src', 'client/package.json', 'client/README.md', 'client/LICENSE', 'client/tsconfig.json'],
  ...['tsconfig.json', 'tsconfig.build.json', 'node_modules/.package-lock.json'],
];
/** What else a release has of the checkout. */
const SHIPPED = ['package.json', 'package-lock.json', 'bin'];
/** They change with the commit, and with what is about to be committed. A worktree of Git has them elsewhere, and asks Git each time. */
const GIT = ['.git/HEAD', '.git/index', '.git/logs/HEAD', '.git/packed-refs', '.git/refs/heads'];
const COMPILER = 'node_modules/.bin/tsc';
/** What the compiler remembers of its last run */
const CHECKED = 'dist/.tsbuildinfo';
/** What is made last of the client */
const CLIENT_SCHEMA = 'client/dist/schema.graphql';
const STAMP = 'dist/build.json';
/** The fingerprint and the revision at the last look, and of which state of the files. Apart from the stamp, since it is true of any build. */
const SEEN = 'dist/seen.json';
/** A file that has changed so lately may change again without another time: file systems count in steps, of up to 2 s. */
const TIME_STEP_MS = 2_000;
/** Holds the process id of who is building. */
const LOCK = 'dist/build.lock';
/** What Node keeps of the code that it has compiled. */
const COMPILED = 'dist/compiled';
/** The commit of the build: `src/platform/versions.ts` reads it. */
const REVISION = 'dist/program/revision';

if (Number.parseInt(process.versions.node, 10) < 24) {
  const remedy = 'npm ci installs it, unless optional packages are left out';
  process.stderr.write(`auth-gateway needs Node 24 or newer, and this is Node ${process.versions.node}: ${remedy}\n`);
  process.exit(78);
}
process.chdir(join(import.meta.dirname, '..'));
const { fingerprint, revision } = look();
if (!isMade()) {
  await takeLock();
  try {
    if (!isMade()) await make();
  } finally {
    rmSync(LOCK, { force: true });
  }
}
if (!existsSync(REVISION) || readFileSync(REVISION, 'utf8') !== revision) writeWhole(REVISION, revision);

/**
 * It is looked for at each build, since a commit of the documents alone builds nothing anew. The variable is for builds
 * without a checkout, as that of the Dockerfile.
 */
function revisionNow() {
  const tracked = MADE_FROM.filter((path) => !path.startsWith('node_modules'));
  const args = ['status', '--porcelain=v2', '--branch', '--', ...tracked, ...SHIPPED];
  // The checkout may belong to another user than the one who builds.
  const options = ['--no-optional-locks', '-c', 'safe.directory=*'];
  const { status, stdout } = existsSync('.git') ? spawnSync('git', [...options, ...args], { encoding: 'utf8' }) : {};
  const commit = status === 0 && /^# branch\.oid (\w+)$/m.exec(stdout)?.[1];
  if (!commit) return process.env.REVISION || 'unknown';
  return /^[^#]/m.test(stdout) ? `${commit}-dirty` : commit;
}

function isMade() {
  const last = readStamp();
  return last?.fingerprint === fingerprint && last.files.every((file) => existsSync(file));
}

/** Waits while another process builds the same, unless that process has ended without a word. */
async function takeLock() {
  mkdirSync(dirname(LOCK), { recursive: true });
  let isSaid = false;
  for (;;) {
    try {
      return writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = existsSync(LOCK) ? Number(readFileSync(LOCK, 'utf8')) : 0;
    if (holder > 0 && !existsSync(`/proc/${holder}`)) rmSync(LOCK, { force: true });
    else if (holder > 0 && !isSaid) {
      isSaid = true;
      process.stderr.write('Waiting for another command, which is compiling.\n');
    }
    await setTimeout(50);
  }
}

async function make() {
  const before = readStamp()?.files ?? [];
  stamp({ files: before }); // of nothing, until all is made
  if (!existsSync(COMPILER)) {
    process.stderr.write('it cannot be built without its packages: run npm ci --include=dev\n');
    process.exit(1);
  }
  process.stderr.write('Compiling, which takes a minute on a busy machine. Only a change makes it necessary again.\n');
  rmSync('client/dist', { recursive: true, force: true });
  const { bundle, PROGRAM } = await import('./bundle.js');
  const { bundlePages } = await import('./bundle-pages.js');
  const { bundleApps, APP_FOLDERS } = await import('./bundle-apps.js');
  const { bundleClient } = await import('./bundle-client.js');
  const { writeBundled } = await import('./bundled.js');
  // The sources of a new checkout have been checked. What is changed in it is.
  const isNew = !existsSync(CHECKED);
  const work = {
    'the gateway': compile('tsconfig.build.json', isNew ? ['--noCheck'] : []).then(bundle),
    'the console and the account page': bundleApps(),
    'the other pages': bundlePages(),
    'the client': compile('client').then(() => {
      copyFileSync('schema.graphql', CLIENT_SCHEMA);
      return bundleClient();
    }),
  };
  const files = (await Promise.all(Object.entries(work).map(([name, made]) => reported(name, made)))).flat();
  files.push(await writeBundled());
  // A gateway that runs may still load or serve a part of the build before.
  const current = new Set([...files, ...before]);
  current.add(REVISION);
  for (const file of [PROGRAM, ...APP_FOLDERS].flatMap(filesOf)) if (!current.has(file)) rmSync(file);
  rmSync(COMPILED, { recursive: true, force: true });
  stamp({ fingerprint, files: [...files, CLIENT_SCHEMA] });
}

/** Ends this process if it does not compile, which the compiler has reported. */
async function compile(project, options = []) {
  const [status] = await once(spawn(COMPILER, ['-p', project, ...options], { stdio: 'inherit' }), 'exit');
  if (status !== 0) process.exit(1);
}

async function reported(name, made) {
  const files = await made;
  process.stderr.write(`  ${name}: ${process.uptime().toFixed(1)} s\n`);
  return files;
}

/** @param made the files of the program, and from what they were made */
function stamp(made) {
  writeWhole(STAMP, JSON.stringify(made));
}

function writeWhole(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}

/** @returns undefined before the first build */
function readStamp() {
  return existsSync(STAMP) ? JSON.parse(readFileSync(STAMP, 'utf8')) : undefined;
}

/** Reads the files, and asks Git, unless nothing is new since the last look. */
function look() {
  const beganMs = Date.now();
  const { state, changedMs } = stateNow();
  const seen = existsSync(SEEN) ? JSON.parse(readFileSync(SEEN, 'utf8')) : undefined;
  if (seen?.state === state) return seen;
  const now = { state, fingerprint: fingerprintOf(MADE_FROM), revision: revisionNow() };
  const canSeeCommits = existsSync('.git/HEAD') || !existsSync('.git');
  if (canSeeCommits && changedMs < beganMs - TIME_STEP_MS && stateNow().state === state) {
    try {
      writeWhole(SEEN, JSON.stringify(now));
    } catch {
      // Without the right to write here, the files are read each time.
    }
  }
  return now;
}

/** Of names and content */
function fingerprintOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesOf)) {
    const content = readFileSync(path);
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/** Content does not change without the time of the inode (`ctime`), which no program can set. */
function stateNow() {
  let [state, changedMs] = [process.env.REVISION ?? '', 0];
  for (const path of [...MADE_FROM, ...SHIPPED, ...GIT].flatMap(filesOf)) {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path); // the times have their fractions
    state += `${path} ${ino} ${size} ${mtimeMs} ${ctimeMs}\n`;
    changedMs = Math.max(changedMs, ctimeMs);
  }
  return { state: createHash('sha256').update(state).digest('hex'), changedMs };
}

/** The path itself, or every file below it, whose links are followed to files alone. */
function filesOf(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats ? [path] : [];
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) return filesOf(below);
    return entry.isFile() || statSync(below, { throwIfNoEntry: false })?.isFile() ? [below] : [];
  });
}
