/**
 * `npm run check`: what can be checked without a build and without a server. Every step runs, even if one fails, and a
 * step that fails says what to do. `--without-rules` leaves out the tests that `npm test` runs too.
 */
import { spawnSync } from 'node:child_process';

/** Tests that only read the code and the documents. */
const RULES = [
  'test/architecture.test.ts',
  'test/citations.test.ts',
  'test/db/migrations.test.ts',
  'test/graphql/described.test.ts',
  'test/graphql/printed-operations.test.ts',
  'test/graphql/printed-schema.test.ts',
  'test/http/printed-openapi.test.ts',
  'test/printed-docs.test.ts',
];
const JEST = 'node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js';

const STEPS = [
  {
    name: 'lint and format',
    command: 'npm run --silent lint -- --colors=off --reporter=concise',
    cure: 'npm run format mends the format, and what else can be mended safely',
  },
  {
    name: 'types',
    command: 'npm run --silent types',
    cure: 'each line above names a place with something missing; docs/recipes.md says where each change goes',
  },
  {
    name: 'rules: imports, printed schema, documents',
    command: `${JEST} --globalSetup= --globalTeardown= --runInBand ${RULES.join(' ')}`,
    cure: 'the title after each ● says what is asked; npm run schema writes schema.graphql, npm run openapi openapi.json, npm run docs tables of the documents',
  },
];

const chosen = process.argv.includes('--without-rules') ? STEPS.slice(0, -1) : STEPS;
for (const { name, command, cure } of chosen) {
  const begunMs = performance.now();
  const { status, stdout, stderr } = spawnSync(command, { shell: true, encoding: 'utf8' });
  const seconds = ((performance.now() - begunMs) / 1000).toFixed(1);
  if (status === 0) {
    process.stdout.write(`ok      ${name} (${seconds} s)\n`);
  } else {
    process.stdout.write(`${stdout}${stderr}FAILED  ${name}\n        ${cure}\n`);
    process.exitCode = 1;
  }
}
