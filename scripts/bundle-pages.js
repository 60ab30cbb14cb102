/** Bundles the pages into `dist/explorer` and `dist/set-password`, compressed: the gateway sends the files as they are. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { note } from './bundled.js';
import { withMark } from './page-mark.js';

const PAGES = [
  { folder: 'explorer', files: ['page.html', 'page.tsx', 'page.css'] },
  { folder: 'set-password', files: ['page.html', 'forgot.html', 'page.ts', 'page.css'] },
];

/** @returns the files that it has written */
export async function bundlePages() {
  return (await Promise.all(PAGES.map(bundlePage))).flat();
}

async function bundlePage({ folder, files }) {
  const { outputFiles, metafile } = await build({
    entryPoints: files.map((file) => `pages/${folder}/${file}`),
    outdir: `dist/${folder}`,
    bundle: true,
    format: 'esm',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.graphql': 'text', '.html': 'copy', '.svg': 'dataurl' },
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  note(metafile);
  await mkdir(`dist/${folder}`, { recursive: true });
  const write = async ({ path, contents, text }) => {
    const file = `dist/${folder}/${basename(path)}.gz`;
    await writeFile(file, gzipSync(path.endsWith('.html') ? withMark(text) : contents, { level: 9 }));
    return file;
  };
  return Promise.all(outputFiles.map(write));
}
