/** Builds the image of the Dockerfile by its own lines, without a registry: its bases are the machine's /usr, and `npm ci` the packages that are here. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { emptyRoot, runContainer } from './container.js';
import { contextOf, type Instruction, readDockerfile } from './dockerfile.js';

export interface Image {
  root: string;
  user: string;
  workdir: string;
  env: Record<string, string>;
  /** ENTRYPOINT and CMD */
  entrypoint: string[];
  command: string[];
  /** Of HEALTHCHECK */
  health: string[];
  /** Of LABEL, as its line has them */
  labels: string;
}

/**
 * What the build would make takes long, and is here: the packages, and the program as `npm run build` has left it. That
 * finds nothing to do if its files make the same program, and fails otherwise.
 */
const HERE = ['node_modules', 'dist', 'client/dist'];

/** Of an image that is built already: its file system (test/deploy/build-image.sh) */
const BUILT = process.env['IMAGE_ROOT'];

/** @param folder where it may write */
export async function buildImage(folder: string): Promise<Image> {
  const [shared = [], ...stages] = readDockerfile(readFileSync('Dockerfile', 'utf8'));
  const built = new Map<string, Image>();
  let image: Image | undefined;
  for (const [from, ...instructions] of stages) {
    image = {
      root: BUILT ?? emptyRoot(folder),
      user: '0:0',
      workdir: '/',
      env: Object.assign({}, ...shared.map(({ rest }) => pairs(rest))),
      entrypoint: [],
      command: [],
      health: [],
      labels: '',
    };
    for (const instruction of instructions) await carryOut(instruction, image, built);
    built.set(/ AS (\w+)$/.exec(from?.rest ?? '')?.[1] ?? '', image);
  }
  if (image === undefined) throw new Error('the Dockerfile has no stage');
  return image;
}

async function carryOut({ name, options, rest }: Instruction, image: Image, built: Map<string, Image>): Promise<void> {
  const parts: Record<string, () => unknown> = {
    ARG: () => Object.assign(image.env, pairs(rest), rest.startsWith('REVISION=') && { REVISION: revisionHere() }),
    ENV: () => Object.assign(image.env, pairs(rest)),
    WORKDIR: () => {
      image.workdir = rest;
      mkdirSync(join(image.root, rest), { recursive: true });
    },
    USER: () => Object.assign(image, { user: rest }),
    ENTRYPOINT: () => Object.assign(image, { entrypoint: JSON.parse(rest) }),
    CMD: () => Object.assign(image, { command: JSON.parse(rest) }),
    HEALTHCHECK: () => Object.assign(image, { health: JSON.parse(rest.replace(/^CMD /, '')) }),
    COPY: () => BUILT ?? copy(rest.split(/\s+/), image, built.get(options[0]?.replace('--from=', '') ?? '')),
    RUN: () => BUILT ?? runIn(image, rest),
    LABEL: () => Object.assign(image, { labels: rest.replace('$REVISION', image.env['REVISION'] ?? '') }),
    EXPOSE: () => undefined,
  };
  const carry = parts[name];
  if (carry === undefined) throw new Error(`${name} is not known here`);
  await carry();
}

/** `--build-arg REVISION`; with another one the build would write it */
const revisionHere = (): string => readFileSync('dist/program/revision', 'utf8');

const pairs = (text: string) => Object.fromEntries(text.split(/\s+/).map((pair) => pair.split('=', 2)));

/** Folders give what is in them. */
function copy(words: string[], { root, workdir }: Image, from: Image | undefined): void {
  const target = resolve('/', workdir, words.at(-1) ?? '');
  const isFolder = words.length > 2 || words.at(-1)?.endsWith('/') || target === workdir;
  const given = from === undefined ? contextOf('.') : [];
  for (const source of words.slice(0, -1)) {
    if (from !== undefined) {
      cpSync(join(from.root, source), join(root, target), { recursive: true });
      continue;
    }
    const files = given.filter((path) => source === '.' || path === source || path.startsWith(`${source}/`));
    if (files.length === 0) throw new Error(`.dockerignore keeps ${source} from the build`);
    const isFile = files[0] === source;
    for (const path of files) {
      const to = isFile
        ? isFolder
          ? join(target, basename(path))
          : target
        : join(target, path.slice(source === '.' ? 0 : source.length));
      cpSync(path, join(root, to));
    }
  }
}

async function runIn({ root, user, workdir, env }: Image, line: string): Promise<void> {
  if (line.startsWith('npm ci')) return;
  const mounts =
    workdir === '/build' ? [...HERE.map((path) => `${resolve(path)}:/build/${path}:ro`), npmFor(root)] : [];
  const command = ['sh', '-c', line];
  const { code, stderr } = await runContainer({ root, user, workdir, env, mounts, command, isWritable: true });
  if (code !== 0) throw new Error(`${line}: ${code} ${stderr}`);
}

/** npm of this machine, wherever that is, on the Node of the packages. @returns the mount that it needs */
function npmFor(root: string): string {
  const program = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
  const node = process.execPath.replace(/^.*(?=\/node_modules\/)/, '/build');
  writeFileSync(join(root, 'local/bin/npm'), `#!/bin/sh\nexec ${node} /npm/bin/npm-cli.js "$@"\n`, { mode: 0o755 });
  return `${resolve(program, '../..')}:/npm:ro`;
}
