/**
 * Bundles the console, the account page and the gate into a folder of `dist` each, compressed. Each file has a hash of its
 * content in its name, so that browsers may cache it for good; the page, which names them, keeps its name.
 */

import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { note } from './bundled.js';
import { withMark } from './page-mark.js';

/** With the titles that they have until a heading is drawn */
const APPS = { console: 'auth-gateway', account: 'Your account', gate: 'Log in' };
/** The modules whose exports are all documents that pages and the client ask */
const DOCUMENTS = [
  'client/src/documents.ts',
  'pages/console/operations.ts',
  'pages/console/views/keys/documents.ts',
  'pages/kit/own/operations.ts',
];
/** The folders that it fills */
export const APP_FOLDERS = Object.keys(APPS).map((app) => `dist/${app}`);

/** @returns the files that it has written */
export async function bundleApps() {
  return (await Promise.all([...Object.entries(APPS).map(bundleApp), writeDocuments()])).flat();
}

/** The documents by their SHA-256, which the gateway trusts. (Interface 24) */
async function writeDocuments() {
  const contents = DOCUMENTS.map((path, i) => `export * as from${i} from './${path}';`).join('\n');
  const stdin = { contents, resolveDir: '.' };
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false, logLevel: 'warning' });
  const modules = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
  const documents = Object.values(modules).flatMap((module) => Object.values(module));
  const byHash = documents.map((text) => [createHash('sha256').update(text).digest('hex'), text]);
  const file = 'dist/console/trusted-documents.json';
  await mkdir('dist/console', { recursive: true });
  await writeFile(file, `${JSON.stringify(Object.fromEntries(byHash), null, 1)}\n`);
  return [file];
}

async function bundleApp([app, title]) {
  const source = `pages/${app}/page`;
  const folder = `dist/${app}`;
  const { outputFiles, metafile } = await build({
    entryPoints: [`${source}.tsx`, `${source}.css`],
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true, // each view and each dialog is loaded when it is opened
    format: 'esm',
    minify: true,
    target: 'es2022',
    loader: { '.sh': 'text', '.svg': 'dataurl' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  note(metafile);
  const template = (await readFile('pages/kit/page.html', 'utf8'))
    .replaceAll('/APP/', `/${app}/`)
    .replace('TITLE', title);
  const page = pageOf(template, source, `/${app}/assets`, metafile);
  await mkdir(folder, { recursive: true });
  const write = async (name, content) => {
    const file = `${folder}/${name}.gz`;
    await writeFile(file, gzipSync(content, { level: 9 }));
    return file;
  };
  const files = await Promise.all(outputFiles.map(({ path, contents }) => write(basename(path), contents)));
  return [...files, await write('page.html', page)]; // last, since it names the others
}

/**
 * @param assets where the gateway serves the files
 * @returns the page with the names that its script and style have got, and with what the script imports at once
 */
function pageOf(template, source, assets, { outputs }) {
  const outputOf = (entry) => Object.keys(outputs).find((path) => outputs[path].entryPoint === entry);
  const urlOf = (path) => `${assets}/${basename(path)}`;
  const script = outputOf(`${source}.tsx`);
  const preloads = importsOf(script, outputs).map((path) => `<link rel="modulepreload" href="${urlOf(path)}">\n`);
  const named = replaceOnce(withMark(template), `${assets}/page.css`, urlOf(outputOf(`${source}.css`)));
  const withScript = replaceOnce(named, `${assets}/page.js`, urlOf(script));
  return replaceOnce(withScript, '<script ', `${preloads.join('')}<script `);
}

/** @returns the outputs that are loaded with this one, directly or through others */
function importsOf(path, outputs, found = new Set()) {
  for (const imported of outputs[path].imports) {
    if (imported.kind !== 'import-statement' || found.has(imported.path)) continue;
    found.add(imported.path);
    importsOf(imported.path, outputs, found);
  }
  return [...found];
}

function replaceOnce(text, from, to) {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`page.html must have ${from} exactly once`);
  return parts.join(to);
}
