/** The version is the same wherever it stands, and each that was released has its section of the changelog. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { sectionOfVersion } from '../../scripts/release/changelog.js';

const read = (path: string): string => readFileSync(path, 'utf8');
const changelog = read('CHANGELOG.md');
const { version, workspaces } = JSON.parse(read('package.json')) as { version: string; workspaces: string[] };

test('packages, openapi.json, and the image that the documents name have one version', () => {
  const packages = workspaces.map((folder) => JSON.parse(read(`${folder}/package.json`)).version);
  const named = ['deploy/kubernetes/kustomization.yaml', 'docs/deploy-kubernetes.md'].map(
    (path) => /(?:newTag: |auth-gateway:)(\d+\.\d+\.\d+)/.exec(read(path))?.[1],
  );
  const found = [...packages, ...named, JSON.parse(read('openapi.json')).info.version];
  expect(found).toEqual(found.map(() => version));
});

/** None in a checkout without tags; a checkout of a tag has that one at least. */
const { stdout } = spawnSync('git', ['tag', '--merged', 'HEAD', '--list', 'v*', '--sort', 'v:refname'], {
  encoding: 'utf8',
});
const tags = stdout.split('\n').filter((tag) => tag !== '');

test('each tag has its section of the changelog', () => {
  expect(tags.filter((tag) => !sectionOfVersion(changelog, tag.slice(1)))).toEqual([]);
});

test('each version before this one was frozen, for the tests of upgrades', () => {
  const released = Array.from(changelog.matchAll(/^## \[(\d.*)\] - /gm), ([, name]) => name);
  const unfrozen = released.filter((name) => !existsSync(`test/upgrade/${name}/known.json`));
  expect(unfrozen.filter((name) => name !== version)).toEqual([]);
});

test('this version has a section, unless nothing was released yet', () => {
  const isReleased = tags.length > 0 || version !== '0.1.0';
  expect(sectionOfVersion(changelog, version) !== undefined).toBe(isReleased);
});
