/** Pages as a bundler makes them, for development: React then runs effects twice in StrictMode. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Edge } from './edge.js';

const PAGES = 'test/browser/pages'; // of the checkout, in which everything here is run
/** Those of the client that pages import */
const ENTRIES = ['account', 'browser', 'factors', 'passkeys'];
const HTML = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="root"></div>';

/** Serves a page whose script is a file in `pages/`. */
export async function servePage(edge: Edge, path: string, file: string): Promise<void> {
  const text = await readFile(join(PAGES, file), 'utf8');
  edge.serve(`/${file}`, 'text/javascript', await bundle(text));
  edge.serve(path, 'text/html', `${HTML}<script type="module" src="/${file}"></script>`);
}

/** @param text JavaScript with JSX, which imports from packages */
export async function bundle(text: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: text, resolveDir: process.cwd(), loader: 'jsx' },
    alias: Object.fromEntries(
      ENTRIES.map((name) => [`@auth-gateway/client/${name}`, resolve(`client/src/${name}.ts`)]),
    ),
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}
