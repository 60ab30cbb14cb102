/**
 * Lets Node itself import the TypeScript of this repository: `./file.js` finds `file.ts`, which is compiled by swc. What
 * was compiled is cached by content. Node imports a module once a process, Jest once a test file.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync, version } from '@swc/core';
import { SWC } from './swc.js';

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/auth-gateway-tests');
const IS_OURS = /^file:(?!.*\/node_modules\/)/;

mkdirSync(CACHE, { recursive: true });

/** For the stack traces of Jest: from the URL of a source to the file of its source map. */
export const sourceMaps = new Map();

registerHooks({
  resolve(specifier, context, next) {
    if (/^\.{1,2}\/.*\.js$/.test(specifier) && IS_OURS.test(context.parentURL ?? '')) {
      const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    const { pathname } = new URL(url);
    if (!pathname.endsWith('.ts') || !IS_OURS.test(url)) return next(url, context);
    return { format: 'module', source: compile(fileURLToPath(url)), shortCircuit: true };
  },
});

/** @returns JavaScript */
function compile(path) {
  const source = readFileSync(path, 'utf8');
  const key = createHash('sha256')
    .update(JSON.stringify([version, SWC, 'inline map', path, source]))
    .digest('hex')
    .slice(0, 32);
  const file = join(CACHE, `${key}.js`);
  const mapFile = `${file}.map`;
  if (!existsSync(file)) {
    const { code, map } = transformSync(source, { ...SWC, filename: path, sourceMaps: true, swcrc: false });
    const inline = Buffer.from(map).toString('base64'); // for debuggers
    save(mapFile, map);
    save(file, `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`); // last: its map is there
  }
  sourceMaps.set(pathToFileURL(path).href, mapFile);
  return readFileSync(file, 'utf8');
}

/** At once, since other workers do the same. */
function save(file, text) {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}
