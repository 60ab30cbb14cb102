/**
 * `npm run release -- LEVEL` makes a version of the last commit: `major`, `minor` or `patch`. All of it is done in a clone,
 * and taken over only if all went well. It pushes nothing. docs/versions.md has the steps around it.
 *   --dry-run          does the same, and takes nothing over; LEVEL may be left out, and the changelog may be empty
 *   --old-figures      of a dry run or a patch: the evidence and the benchmark may be of an older program
 *   draft              writes a line for each commit since the last version into CHANGELOG.md, to be edited
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faultsOf, released, withDraft } from './release/changelog.ts';
import { LEVELS, neededLevel, nextVersion, readCommit } from './release/level.ts';

/** Files that name the version of the gateway next to its name, apart from those that npm and `npm run openapi` write */
const NAMING = ['deploy/kubernetes/kustomization.yaml', 'docs/deploy-kubernetes.md'];
const RUN = 'proof/evidence/published.json';
const BENCHMARK = 'proof/bench/published.json';
/** What the evidence and the benchmark are about: a change of it since their commit makes them old. */
const PROGRAM = [
  ...['src', 'migrations', 'bin', 'client/src', 'pages', 'schema.graphql', 'examples/services/signed.sh'],
  ...['package.json', 'client/package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'],
  ...['scripts/build.js', 'scripts/bundle.js', 'scripts/bundle-apps.js', 'scripts/bundle-client.js'],
  ...['scripts/bundle-pages.js', 'scripts/page-mark.js'],
];

process.chdir(join(import.meta.dirname, '..'));
const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, 'old-figures': { type: 'boolean' } },
  allowPositionals: true,
});
const isDry = values['dry-run'] === true;
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
/** Commit of this version, which a clone has even without tags. Undefined before the first version */
const last = git('log', '-1', '--format=%H', `--grep=^release: ${version.replaceAll('.', '[.]')}$`) || undefined;
/** A dry run needs none: it takes the least that will do, and the first version is 1.0.0. */
const { level: least, reasons } =
  last === undefined
    ? { level: 'major', reasons: ['nothing was released yet'] }
    : neededLevel(stateOf(last), stateOf('HEAD'), commitsSince(last));
const [word = isDry ? least : ''] = positionals;
if (positionals.length > 1 || ![...LEVELS, 'draft'].includes(word))
  stop(2, ['usage: npm run release -- major|minor|patch [--dry-run], or draft']);

if (word === 'draft') draft();
else release(word);

function draft() {
  if (last === undefined) stop(1, [historyFault() ?? 'nothing was released yet: write the section by hand']);
  writeFileSync('CHANGELOG.md', withDraft(readFileSync('CHANGELOG.md', 'utf8'), commitsSince(last)));
  say('CHANGELOG.md has a draft: edit it, commit, then npm run release -- LEVEL');
}

function release(level) {
  const next = nextVersion(version, level);
  const faults = faultsBefore(level, next);
  if (faults.length > 0) stop(1, [`${next} cannot be released:`, ...faults.map((fault) => `- ${fault}`)]);
  if (isDry) for (const fault of changelogFaults(level)) say(`Before a release: ${fault}`);

  const folder = mkdtempSync(join(tmpdir(), 'auth-gateway-release-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const clone = join(folder, 'clone');
  run('.', 'git', 'clone', '--quiet', '.', clone);
  const own = spawnSync('git', ['config', '--null', '--get-regexp', '^(user|gpg)\\.'], { encoding: 'utf8' }).stdout;
  for (const setting of own.split('\0').slice(0, -1)) {
    const [name, ...value] = setting.split('\n');
    git('-C', clone, 'config', name, value.join('\n'));
  }
  if (!hasKey(clone)) say('the tag will not be signed: git has no user.signingkey');
  const section = write(clone, next);
  run(clone, 'git', 'commit', '--quiet', '--all', '--message', `release: ${next}`);
  run(
    clone,
    'git',
    'tag',
    hasKey(clone) ? '--sign' : '--annotate',
    '--cleanup=whitespace', // its headings begin with #
    `v${next}`,
    '--message',
    `auth-gateway ${next}\n\n${section}`,
  );
  run(clone, 'npm', 'run', '--silent', 'check');
  run(clone, 'npm', 'test');
  const made = join(folder, 'artefacts');
  run(clone, 'npm', 'run', '--silent', 'artefacts', '--', '--if-possible', '--out', made);
  say(`${next} is made: ${readdirSync(made).join(', ')}`);
  if (isDry) return say('Nothing was taken over: this was a dry run.');

  run('.', 'git', 'fetch', '--quiet', clone, 'HEAD');
  cpSync(made, `release/${next}`, { recursive: true });
  process.once('exit', (code) => code === 0 || rmSync(`release/${next}`, { recursive: true }));
  run('.', 'git', 'merge', '--quiet', '--ff-only', 'FETCH_HEAD');
  run('.', 'git', 'fetch', '--quiet', '--no-tags', clone, `refs/tags/v${next}:refs/tags/v${next}`);
  return say(
    `This checkout has the commit, the tag v${next}, and release/${next}. Then:
  npm run freeze -- v${next} test/upgrade/${next}   # what it writes, for the tests of later versions
  npm run names -- test/upgrade && git add test && git commit --message 'test(upgrade): ${next}'
  git push --atomic origin HEAD v${next}                     # the workflow "release" makes the same files and publishes them`,
  );
}

/** @returns what stands in the way, each with what to do */
function faultsBefore(level, next) {
  return [
    ...(git('status', '--porcelain') === '' ? [] : ['the tree has changes: commit them, or put them away']),
    ...branchFaults(),
    ...(git('tag', '--list', `v${next}`) === '' ? [] : [`there is a tag v${next}`]),
    ...(isDry ? [] : changelogFaults(level)),
    ...levelFaults(level),
    ...(values['old-figures'] && (isDry || level === 'patch') ? [] : figureFaults()),
  ];
}

function changelogFaults(level) {
  return faultsOf(readFileSync('CHANGELOG.md', 'utf8'), level);
}

function branchFaults() {
  const branch = git('branch', '--show-current');
  if (/^(main|release-[\d.]+)$/.test(branch)) return [];
  return [
    `this is ${branch === '' ? 'no branch' : `the branch ${branch}`}: versions are made on main, or on release-MAJOR.MINOR`,
  ];
}

/** Undefined if nothing was released yet */
function historyFault() {
  if (last !== undefined || version === '0.1.0') return undefined;
  return `no commit here is called "release: ${version}": git fetch --unshallow`;
}

function levelFaults(level) {
  const fault = historyFault();
  if (fault !== undefined) return [fault];

  const frozen = `test/upgrade/${version}`;
  if (last !== undefined && !existsSync(`${frozen}/known.json`))
    return [`v${version} was not frozen: npm run freeze -- v${version} ${frozen}`];

  if (LEVELS.indexOf(least) <= LEVELS.indexOf(level)) return [];
  return [`this is no ${level}: a ${least} is needed`, ...reasons.map((reason) => `  ${reason}`)];
}

function figureFaults() {
  const { commit, size, results } = JSON.parse(readFileSync(RUN, 'utf8'));
  const others = new Set(results.flatMap((result) => result.commit ?? []));
  const isWhole = ({ rows, failed, leftOut, withoutIt }) => rows.length > 0 && !failed && !leftOut && !withoutIt;
  const red = results.filter(
    (result) => !isWhole(result) || result.rows.some((row) => row.violations > 0 || row.trials < row.least),
  );
  return [
    ...(size === 'full' && red.length === 0 ? [] : ['the evidence is not of the full size, or not whole, or red']),
    ...(others.size === 0 ? [] : [`the evidence is of ${others.size + 1} commits: run all of it at one`]),
    ...oldFaults('evidence', commit),
    ...oldFaults('benchmark', JSON.parse(readFileSync(BENCHMARK, 'utf8')).commit),
  ];
}

/** A figure is of the program that is released, or of one that differs in nothing that runs but its version. */
function oldFaults(what, commit) {
  const { status, stdout } = spawnSync('git', ['diff', '--name-only', commit, 'HEAD', '--', ...PROGRAM], {
    encoding: 'utf8',
  });
  if (status !== 0) return [`the ${what} is of commit ${commit || '(none)'}, which this repository lacks`];
  const isChanged = (path) =>
    path !== '' &&
    !/\.test\.\w+$/.test(path) &&
    !(/(^|\/)package(-lock)?\.json$/.test(path) && isSameButVersion(path, commit));
  const changed = stdout.split('\n').filter(isChanged);
  return changed.length === 0
    ? []
    : [`the ${what} is of ${commit}, and ${changed.length} files of the program changed since: run it again`];
}

/** Of package.json, or of package-lock.json, which has the versions of our workspaces, too. */
function isSameButVersion(path, commit) {
  const [before, now] = [commit, 'HEAD'].map((at) => {
    const { stdout } = spawnSync('git', ['show', `${at}:${path}`], { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
    const { packages, ...rest } = JSON.parse(stdout || '{}'); // a commit may lack it
    const own =
      packages && ['', ...packages[''].workspaces].map((folder) => [folder, { ...packages[folder], version }]);
    return JSON.stringify({ ...rest, version, packages: packages && { ...packages, ...Object.fromEntries(own) } });
  });
  return before === now;
}

/** Writes the version wherever it stands, and what is printed from it. @returns its section of the changelog */
function write(clone, next) {
  const { text, section } = released(readFileSync('CHANGELOG.md', 'utf8'), next, new Date().toISOString().slice(0, 10));
  writeFileSync(join(clone, 'CHANGELOG.md'), text);
  for (const path of NAMING) {
    const old = readFileSync(path, 'utf8');
    const now = old
      .replaceAll(`auth-gateway:${version}`, `auth-gateway:${next}`)
      .replaceAll(`newTag: ${version}`, `newTag: ${next}`);
    if (now === old) stop(1, [`${path} does not name ${version}`]);
    writeFileSync(join(clone, path), now);
  }
  run(clone, 'npm', 'version', next, '--workspaces', '--include-workspace-root', '--no-git-tag-version');
  run(clone, 'npm', 'ci');
  for (const printed of ['openapi', 'schema', 'docs']) run(clone, 'npm', 'run', '--silent', printed);
  return section;
}

function stateOf(commit) {
  const show = (path) => git('show', `${commit}:${path}`);
  const migrations = git('ls-tree', '--name-only', commit, 'migrations/').split('\n');
  return { names: show('docs/interface.txt'), schema: show('schema.graphql'), migrations };
}

/** Newest first, without merges */
function commitsSince(commit) {
  const log = git('log', '--no-merges', '--format=%s%x1f%b%x1e', `${commit}..HEAD`);
  return log
    .split('\x1e')
    .map((entry) => entry.trim().split('\x1f'))
    .flatMap(([title, body = '']) => (title ? [readCommit(title, body)] : []));
}

function hasKey(clone) {
  return spawnSync('git', ['-C', clone, 'config', 'user.signingkey']).status === 0;
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
  if (status !== 0) stop(1, [stderr.trim()]);
  return stdout.trim();
}

function run(cwd, command, ...args) {
  say(`-- ${[command, ...args].join(' ').split('\n')[0]}`);
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) stop(1, [`failed: ${command} ${args.join(' ').split('\n')[0]}`]);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

function stop(code, lines) {
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(code);
}
