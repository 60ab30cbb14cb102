/** Bundles the explorer's page into `dist/explorer`, compressed: the gateway sends its files as they are. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const EXPLORER = 'dist/explorer';

/** @returns the files that it has written */
export async function bundleExplorer() {
  const { outputFiles } = await build({
    entryPoints: ['explorer/page.tsx', 'explorer/page.css'],
    outdir: EXPLORER,
    bundle: true,
    format: 'esm',
    minify: true,
    jsx: 'automatic',
    loader: { '.graphql': 'text' },
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    logLevel: 'warning',
  });
  await mkdir(EXPLORER, { recursive: true });
  const write = async ({ path, contents }) => {
    const file = `${EXPLORER}/${basename(path)}.gz`;
    await writeFile(file, gzipSync(contents, { level: 9 }));
    return file;
  };
  return Promise.all(outputFiles.map(write));
}
