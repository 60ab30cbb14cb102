/** `npm run release` refuses what is no version yet, and leaves everything as it was. `.ci/long` runs a whole one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'auth-gateway-test-'));
const clone = join(folder, 'clone');
const at = (path: string): string => join(clone, path);
const git = (...args: string[]): string => execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8' });

/** With a version behind it, and a change that can be released */
beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', '.', clone]);
  for (const path of ['scripts', 'docs', 'proof/evidence', 'schema.graphql', 'package.json'])
    cpSync(path, at(path), { recursive: true });
  symlinkSync(resolve('node_modules'), at('node_modules'));
  writeFileSync(at('.git/info/exclude'), '/node_modules\n');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  writeFileSync(at('CHANGELOG.md'), `# Changelog\n\n## [Unreleased]\n\n## [${version}] - 2026-01-01\n\nIt.\n`);
  commit('release: this one');
  git('tag', '--force', `v${version}`);
  edit('CHANGELOG.md', '## [Unreleased]\n', '## [Unreleased]\n\n### Fixed\n\n- A fault.\n');
  commit('fix(login): a fault');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function edit(path: string, from: string | RegExp, to: string): void {
  writeFileSync(at(path), readFileSync(at(path), 'utf8').replace(from, to));
}
function commit(title: string): void {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '-m', title);
}

/** Runs it where nothing can be made: `npm` fails. @returns exit code and messages */
function release(...args: string[]): { status: number | null; stderr: string; stdout: string } {
  const PATH = `${folder}:${process.env['PATH']}`;
  writeFileSync(join(folder, 'npm'), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
  return spawnSync(process.execPath, [at('scripts/release.js'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, PATH },
  });
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
      commit('feat: more');
    },
    ['patch', ...DRY],
    1,
    /this is no patch: a minor is needed\n- {3}new: reason new/,
  ],
  [
    'a name that has gone, as a minor',
    () => {
      edit('docs/interface.txt', /^reason account_locked\n/m, '');
      commit('fix: less');
    },
    ['minor', ...DRY],
    1,
    /this is no minor: a major is needed\n- {3}gone: reason account_locked/,
  ],
  [
    'figures of another program',
    () => {
      edit('bin/auth-gateway', '#!/bin/sh', '#!/bin/sh\n# changed');
      commit('fix: the program');
    },
    ['patch', '--dry-run'],
    1,
    /the evidence is of \w+, and \d+ files of the program changed since/,
  ],
])('it refuses %s', (_title, change, args, status, message) =>
  changed(change, () => {
    const ran = release(...args);
    expect([ran.status, ran.stderr]).toEqual([status, expect.stringMatching(message)]);
    expect(ran.stdout).toBe('');
  }),
);

test('it writes a draft, and refuses it until it is edited', () =>
  changed(
    () => {
      commit('feat(login): a second thing');
      expect(release('draft').status).toBe(0);
      commit('docs: the changelog');
    },
    () => {
      expect(readFileSync(at('CHANGELOG.md'), 'utf8')).toContain('### Added\n\n- feat(login): a second thing\n');
      expect(release('minor', ...DRY).stderr).toMatch(/unedited draft/);
    },
  ));

test('if a step fails, there is neither a commit nor a tag nor a folder', () => {
  const before = [git('rev-parse', 'HEAD'), git('tag', '--list'), git('status', '--porcelain')];
  const ran = release('patch', ...DRY);
  expect([ran.status, ran.stderr]).toEqual([1, expect.stringMatching(/^failed: npm version /m)]);
  expect([git('rev-parse', 'HEAD'), git('tag', '--list'), git('status', '--porcelain')]).toEqual(before);
});
