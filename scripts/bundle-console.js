/**
 * Bundles the console into `dist/console`, compressed. Each file has a hash of its content in its name, so that browsers
 * may cache it for good; the page, which names them, keeps its name.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

export const CONSOLE = 'dist/console';
/** Where the gateway serves the files */
const ASSETS = '/console/assets';
const SCRIPT = 'pages/console/page.tsx';
const STYLE = 'pages/console/page.css';

/** @returns the files that it has written */
export async function bundleConsole() {
  const { outputFiles, metafile } = await build({
    entryPoints: [SCRIPT, STYLE],
    outdir: CONSOLE,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true, // each view is loaded when it is opened
    format: 'esm',
    minify: true,
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const page = await pageOf(metafile);
  await mkdir(CONSOLE, { recursive: true });
  const write = async (name, content) => {
    const file = `${CONSOLE}/${name}.gz`;
    await writeFile(file, gzipSync(content, { level: 9 }));
    return file;
  };
  const files = await Promise.all(outputFiles.map(({ path, contents }) => write(basename(path), contents)));
  return [...files, await write('page.html', page)]; // last, since it names the others
}

/** @returns `page.html` with the names that its script and style have got, and with what the script imports at once */
async function pageOf({ outputs }) {
  const outputOf = (source) => Object.keys(outputs).find((path) => outputs[path].entryPoint === source);
  const urlOf = (path) => `${ASSETS}/${basename(path)}`;
  const script = outputOf(SCRIPT);
  const preloads = importsOf(script, outputs).map((path) => `<link rel="modulepreload" href="${urlOf(path)}">\n`);
  const page = await readFile('pages/console/page.html', 'utf8');
  const named = replaceOnce(page, `${ASSETS}/page.css`, urlOf(outputOf(STYLE)));
  const withScript = replaceOnce(named, `${ASSETS}/page.js`, urlOf(script));
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
  if (parts.length !== 2) throw new Error(`pages/console/page.html must have ${from} exactly once`);
  return parts.join(to);
}
