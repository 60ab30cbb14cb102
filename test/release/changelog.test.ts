/** Which version changes need, and the changelog's way from commits to a version. (docs/versions.md) */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultsOf, released, sectionOfVersion, withDraft } from '../../scripts/release/changelog.js';
import { LEVELS, neededLevel, nextVersion, readCommit } from '../../scripts/release/level.js';

const commit = (title: string, body = '') => readCommit(title, body);
const STATE = {
  names: 'reason locked\nroute POST /login\nroute POST /login requires email\nroute POST /login takes email\n',
  schema: 'type Query { me(id: ID, first: Int = 10): String! }',
  migrations: ['migrations/Migration1_users.ts'],
};
const levelOf = (change: Partial<typeof STATE>, titles: string[] = []): string =>
  neededLevel(
    STATE,
    { ...STATE, ...change },
    titles.map((title) => commit(title)),
  ).level;

test.each([
  ['nothing of the interface', {}, ['fix(login): a', 'docs: b'], 'patch'],
  ['a new name', { names: `${STATE.names}reason new\n` }, [], 'minor'],
  ['a field that may be left out', { names: `${STATE.names}route POST /login takes code\n` }, [], 'minor'],
  ['a feature', {}, ['fix: a', 'feat(console): b'], 'minor'],
  [
    'an argument that may be left out',
    { schema: 'type Query { me(id: ID, first: Int = 10, at: Int): String! }' },
    [],
    'minor',
  ],
  ['another default', { schema: 'type Query { me(id: ID, first: Int = 20): String! }' }, [], 'major'],
  [
    'a new route with a field that must be sent',
    { names: `${STATE.names}route GET /new\nroute GET /new requires id\n` },
    [],
    'minor',
  ],
  ['a name that has gone', { names: STATE.names.replace('reason locked\n', '') }, [], 'major'],
  ['a field that must be sent', { names: `${STATE.names}route POST /login requires code\n` }, [], 'major'],
  [
    'a field that need not be sent any more',
    { names: STATE.names.replace('route POST /login requires email\n', '') },
    [],
    'patch',
  ],
  ['an answer that may be null', { schema: 'type Query { me(id: ID, first: Int = 10): String }' }, [], 'major'],
  ['an argument that must be given', { schema: 'type Query { me(id: ID!, first: Int = 10): String! }' }, [], 'major'],
  ['a migration', { migrations: [...STATE.migrations, 'migrations/Migration2_more.ts'] }, [], 'patch'],
  ['a breaking migration', { migrations: [...STATE.migrations, 'migrations/Migration2_old_breaking.ts'] }, [], 'major'],
  ['a commit that says so in its title', {}, ['fix(login)!: a'], 'major'],
])('%s', (_what, change, titles, level) => {
  expect(levelOf(change, titles)).toBe(level);
});

test('a commit that says so in its body is major, and each reason is given', () => {
  const commits = [commit('fix: a', 'Why.\n\nBREAKING CHANGE: b')];
  expect(neededLevel(STATE, { ...STATE, names: '' }, commits)).toEqual({
    level: 'major',
    reasons: [
      'gone: reason locked',
      'gone: route POST /login',
      'gone: route POST /login takes email',
      'commit: fix: a',
    ],
  });
});

test('a version is counted on', () => {
  expect(LEVELS.map((level) => nextVersion('1.2.3', level))).toEqual(['1.2.4', '1.3.0', '2.0.0']);
  expect(() => nextVersion('1.2.3-rc.1', 'patch')).toThrow('not MAJOR.MINOR.PATCH');
});

const OLDER = '## [1.0.0] - 2026-12-01\n\nThe first.\n';
const changelogWith = (own: string): string =>
  `# Changelog\n\nWords.\n\n## [Unreleased]\n${own === '' ? '' : `\n${own}\n`}\n${OLDER}`;
const GOOD = '### Do this when you upgrade\n\nNo migration is breaking.\n\n### Fixed\n\n- A fault.';

test('a draft has the commits that users can notice, by section, and must be edited', () => {
  const drafted = withDraft(changelogWith('A sentence.'), [
    commit('feat(login): a'),
    commit('test: b'),
    commit('fix: c'),
    commit('feat!: d'),
    commit('docs: e'),
  ]);
  expect(drafted).toMatch(
    /\n## \[Unreleased\]\n\nA sentence\.\n\n<!-- draft: .* -->\n\n### Do this when you upgrade\n\n- feat!: d\n\n### Added\n\n- feat\(login\): a\n\n### Fixed\n\n- fix: c\n\n## \[1/,
  );
  expect(drafted.endsWith(OLDER)).toBe(true);
  expect(faultsOf(drafted, 'minor')).toEqual([expect.stringContaining('unedited draft')]);
});

test.each([
  ['', ['has nothing under "Unreleased"', 'lacks "### Do this when you upgrade"']],
  ['### Fixed\n\n- A fault.', ['lacks "### Do this when you upgrade"']],
  [`${GOOD}\n\n### Miscellaneous\n\n- More.`, ['has the section "Miscellaneous"']],
  [GOOD, []],
])('an unreleased section %j has the faults %j', (own, faults) => {
  expect(faultsOf(changelogWith(own), 'minor')).toEqual(faults.map((fault) => expect.stringContaining(fault)));
});

test('a patch needs no steps for an upgrade', () => {
  expect(faultsOf(changelogWith('### Fixed\n\n- A fault.'), 'patch')).toEqual([]);
});

test('the unreleased section becomes that of a version, and the next is empty', () => {
  const { text, section } = released(changelogWith(GOOD), '1.1.0', '2026-12-24');
  expect(text).toBe(`# Changelog\n\nWords.\n\n## [Unreleased]\n\n## [1.1.0] - 2026-12-24\n\n${GOOD}\n\n${OLDER}`);
  expect([sectionOfVersion(text, '1.1.0'), section]).toEqual([GOOD, `## [1.1.0] - 2026-12-24\n\n${GOOD}\n`]);
  expect(sectionOfVersion(text, '1.0.0')).toBe('The first.');
  expect([sectionOfVersion(text, '1.1'), sectionOfVersion(text, '0.1.0')]).toEqual([undefined, undefined]);
  expect(faultsOf(text, 'patch')).toEqual([expect.stringContaining('nothing under "Unreleased"')]);
  expect(sectionOfVersion(released(text, '1.1.1', '2026-12-25').text, '1.1.1')).toBe('Nothing.');
});

test('the changelog of this repository can be cut', () => {
  const own = readFileSync('CHANGELOG.md', 'utf8');
  expect(released(own, '9.9.9', '2099-01-01').text).toContain('## [Unreleased]\n\n## [9.9.9] - 2099-01-01\n\n');
});

test('the notes of a version are printed where no package is installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'auth-gateway-test-'));
  const files = ['scripts/release/notes.js', 'scripts/release/changelog.ts', 'package.json'];
  for (const path of files) cpSync(path, join(folder, path), { recursive: true });
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  writeFileSync(join(folder, 'CHANGELOG.md'), released(changelogWith(GOOD), version, '2026-12-24').text);
  expect(execFileSync(process.execPath, [files[0] ?? ''], { cwd: folder, encoding: 'utf8' })).toBe(`${GOOD}\n`);
  rmSync(folder, { recursive: true });
});
