/** `npm run release` refuses what is no version yet, and leaves everything as it was. `.ci/long` runs a whole one. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'auth-gateway-test-'));
const clone = join(folder, 'clone');
const at = (path: string): string => join(clone, path);
let frozen: string;
const git = (...args: string[]): string => execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8' });

/** With a version behind it, and a change that can be released */
beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', '.', clone]);
  for (const path of ['scripts', 'docs', 'proof', 'schema.graphql', 'package.json', 'package-lock.json'])
    cpSync(path, at(path), { recursive: true });
  symlinkSync(resolve('node_modules'), at('node_modules'));
  writeFileSync(at('.git/info/exclude'), '/node_modules\n');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  for (const tag of git('tag', '--list').split('\n')) if (tag !== '') git('tag', '--delete', tag);
  const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  writeFileSync(at('CHANGELOG.md'), `# Changelog\n\n## [Unreleased]\n\n## [${version}] - 2026-01-01\n\nIt.\n`);
  git('checkout', '--quiet', '-B', 'main');
  commitAll(`release: ${version}`);
  git('tag', `v${version}`);
  frozen = `test/upgrade/${version}/known.json`;
  mkdirSync(at(dirname(frozen)), { recursive: true });
  writeFileSync(at(frozen), '{}\n');
  edit('CHANGELOG.md', '## [Unreleased]\n', '## [Unreleased]\n\n### Fixed\n\n- A fault.\n');
  commitAll('fix(login): a fault');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function edit(path: string, from: string | RegExp, to: string): void {
  writeFileSync(at(path), readFileSync(at(path), 'utf8').replace(from, to));
}
function commitAll(title: string): void {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '-m', title);
}

/** Runs it with an `npm` that makes nothing: by default it fails. @returns exit code and messages */
function release(args: string[], npm = 'exit 9'): { status: number | null; stderr: string; stdout: string } {
  const PATH = `${folder}:${process.env['PATH']}`;
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  const words = ['--disable-warning=ExperimentalWarning', at('scripts/release.js'), ...args];
  return spawnSync(process.execPath, words, { encoding: 'utf8', env: { ...process.env, PATH } });
}

/** The figures are of the last commit. */
function measure(): void {
  const commit = git('rev-parse', 'HEAD').trim();
  const { results, ...run } = JSON.parse(readFileSync(at('proof/evidence/published.json'), 'utf8'));
  const ofOne = results.map(({ commit: _, ...result }: { commit?: string }) => result);
  writeFileSync(at('proof/evidence/published.json'), JSON.stringify({ ...run, commit, results: ofOne }));
  edit('proof/bench/published.json', /"commit": "\w+"/, `"commit": "${commit}"`);
  commitAll('docs: figures');
}

/** The change of a case, undone afterwards */
async function changed(change: () => void, work: () => void): Promise<void> {
  const before = git('rev-parse', 'HEAD').trim();
  try {
    change();
    work();
  } finally {
    git('reset', '--quiet', '--hard', before);
  }
}

const DRY = ['--dry-run', '--old-figures'];

test.each<[title: string, change: () => void, args: string[], status: number, message: RegExp]>([
  ['a word that is no level', () => undefined, ['huge'], 2, /usage: npm run release -- major\|minor\|patch/],
  ['a changed tree', () => edit('README.md', 'auth', 'Auth'), ['patch', ...DRY], 1, /the tree has changes/],
  [
    'a feature as a patch',
    () => {
      writeFileSync(at('docs/interface.txt'), `${readFileSync(at('docs/interface.txt'), 'utf8')}reason new\n`);
      commitAll('feat: more');
    },
    ['patch', ...DRY],
    1,
    /this is no patch: a minor is needed\n- {3}new: reason new/,
  ],
  [
    'a name that has gone, as a minor',
    () => {
      edit('docs/interface.txt', /^reason account_locked\n/m, '');
      commitAll('fix: less');
    },
    ['minor', ...DRY],
    1,
    /this is no minor: a major is needed\n- {3}gone: reason account_locked/,
  ],
  [
    'a version after one that was not frozen',
    () => {
      rmSync(at(frozen));
      commitAll('test: less');
    },
    ['patch', ...DRY],
    1,
    /v\d+\.\d+\.\d+ was not frozen: npm run freeze -- v\S+ test\/upgrade\/\d/,
  ],
  [
    'figures of another program',
    () => {
      edit('bin/auth-gateway', '#!/bin/sh', '#!/bin/sh\n# changed');
      commitAll('fix: the program');
    },
    ['patch', '--dry-run'],
    1,
    /the evidence is of \w+, and \d+ files of the program changed since/,
  ],
])('it refuses %s', (_title, change, args, status, message) =>
  changed(change, () => {
    const ran = release(args);
    expect([ran.status, ran.stderr]).toEqual([status, expect.stringMatching(message)]);
    expect(ran.stdout).toBe('');
  }),
);

test('it writes a draft, and refuses it until it is edited', () =>
  changed(
    () => {
      commitAll('feat(login): a second thing');
      expect(release(['draft']).status).toBe(0);
      commitAll('docs: the changelog');
    },
    () => {
      expect(readFileSync(at('CHANGELOG.md'), 'utf8')).toContain('### Added\n\n- feat(login): a second thing\n');
      expect(release(['minor']).stderr).toMatch(/unedited draft/);
    },
  ));

/** Makes a file as an artefact. */
const MAKES =
  'for word; do out=$word; done; if [ "$3" = artefacts ]; then mkdir -p "$out"; echo it > "$out/it.tgz"; fi';
const stateNow = (): string[] => [git('rev-parse', 'HEAD'), git('tag', '--list'), git('status', '--porcelain')];

test('if a step fails, there is neither a commit nor a tag nor a folder', () =>
  changed(measure, () => {
    const before = stateNow();
    const ran = release(['patch'], '[ "$3" != artefacts ]');
    expect([ran.status, ran.stderr]).toEqual([1, expect.stringMatching(/^failed: npm run --silent artefacts /m)]);
    expect(stateNow()).toEqual(before);
    expect(existsSync(at('release'))).toBe(false);
  }));

test('a version is a commit with its section, a tag, and a folder with the files', () =>
  changed(measure, () => {
    const ran = release(['patch'], MAKES);
    expect([ran.status, ran.stderr]).toEqual([0, expect.not.stringContaining('failed')]);
    const [next] = git('tag', '--points-at', 'HEAD').split('\n');
    expect(git('log', '-1', '--format=%s').trim()).toBe(`release: ${next?.slice(1)}`);
    expect(git('show', 'HEAD:CHANGELOG.md')).toContain(`## [${next?.slice(1)}] - `);
    expect(git('tag', '--list', '--format=%(contents)', next ?? '')).toContain('### Fixed\n\n- A fault.');
    expect(readFileSync(at(`release/${next?.slice(1)}/it.tgz`), 'utf8')).toBe('it\n');
    git('tag', '--delete', next ?? '');
    rmSync(at('release'), { recursive: true });
  }));

test('another version alone makes no figure old, another package does', () =>
  changed(
    () => {
      measure();
      for (const path of ['package.json', 'package-lock.json']) edit(path, /"version": ".*"/, '"version": "8.0.0"');
      commitAll('release: 8.0.0');
      git('tag', 'v8.0.0');
      cpSync(at(dirname(frozen)), at('test/upgrade/8.0.0'), { recursive: true });
      edit('CHANGELOG.md', '- A fault.\n', '- A fault.\n\n## [8.0.0] - 2026-01-02\n\nIt.\n');
      commitAll('test(upgrade): 8.0.0');
    },
    () => {
      try {
        const faultsOf = (...args: string[]) => release(args).stderr.match(/^- .*/gm);
        const old = [expect.stringMatching(/the evidence is of \w+, and 1 files of the program/), expect.anything()];
        expect(faultsOf('patch', '--dry-run')).toBeNull();
        edit('package-lock.json', /("node_modules\/express": \{\s+"version": )".*"/, '$1"0.0.0"');
        commitAll('chore: another Express');
        expect(faultsOf('patch', '--dry-run')).toEqual(old);
        expect(faultsOf('patch', '--old-figures')).toBeNull();
        expect(faultsOf('major', '--old-figures')).toEqual(expect.arrayContaining(old));
      } finally {
        git('tag', '--delete', 'v8.0.0');
      }
    },
  ));

test('a commit that came meanwhile stays, and there is no tag', () =>
  changed(measure, () => {
    const tags = git('tag', '--list');
    const meanwhile = `git -C ${clone} commit --quiet --allow-empty -m 'docs: meanwhile'`;
    const ran = release(['patch'], `${MAKES}; if [ "$3" = artefacts ]; then ${meanwhile}; fi`);
    expect([ran.status, ran.stderr]).toEqual([1, expect.stringMatching(/^failed: git merge /m)]);
    expect(git('log', '-1', '--format=%s').trim()).toBe('docs: meanwhile');
    expect(git('tag', '--list')).toBe(tags);
    expect(readdirSync(at('release'))).toEqual([]);
  }));

test('a dry run needs neither a tag nor a changelog, and says what a release would need', () =>
  changed(
    () => {
      edit('CHANGELOG.md', '### Fixed\n\n- A fault.\n', '');
      commitAll('docs: nothing to release');
    },
    () => {
      const before = stateNow();
      const tag = `v${JSON.parse(readFileSync(at('package.json'), 'utf8')).version}`;
      const released = git('rev-list', '-1', tag).trim();
      git('tag', '--delete', tag);
      try {
        const ran = release(DRY, MAKES);
        expect([ran.status, ran.stdout]).toEqual([0, expect.stringMatching(/^Before a release: .* has nothing under/)]);
        expect(ran.stdout).toMatch(/it\.tgz\nNothing was taken over: this was a dry run\.\n$/);
      } finally {
        git('tag', tag, released);
      }
      expect(stateNow()).toEqual(before);
    },
  ));

test('a checkout without the commit of its version, or on another branch, makes none', () =>
  changed(
    () => undefined,
    () => {
      git('switch', '--quiet', '--create', 'mine');
      expect(release(['patch', ...DRY]).stderr).toContain('this is the branch mine');
      git('switch', '--quiet', '-');
      edit('package.json', /"version": ".*"/, '"version": "7.7.7"');
      commitAll('chore: a version without its commit');
      for (const args of [['patch', ...DRY], ['draft']])
        expect(release(args).stderr).toContain('no commit here is called "release: 7.7.7": git fetch --unshallow');
    },
  ));
