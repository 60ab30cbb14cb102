/**
 * `npm run check`: what can be checked without a build and without a gateway. Every step runs, even if one fails, and a
 * step that fails says what to do. `npm run check -- types` runs that step alone.
 */
import { exec } from 'node:child_process';

const PROJECTS = ['tsconfig.json', 'client', 'pages'];
const JEST = 'node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js';

const STEPS = {
  lint: {
    name: 'lint and format',
    commands: ['node scripts/biome.js ci . --colors=off --reporter=concise'],
    remedy: 'npm run format fixes the format, and all that can be fixed safely',
  },
  types: {
    name: 'types',
    commands: PROJECTS.map(
      (path) => `tsc -p ${path} --noEmit --incremental --tsBuildInfoFile dist/types/${path}.tsbuildinfo`,
    ),
    remedy: 'each line above names a place with something missing; docs/recipes.md says what belongs together',
  },
  rules: {
    name: 'rules: imports, printed files, documents',
    commands: [`${JEST} --globalSetup= --globalTeardown= --runInBand '\\.rule\\.test\\.ts$'`],
    remedy:
      'the title after each ● says what to do; npm run schema writes schema.graphql, npm run openapi openapi.json, npm run docs tables of the documents',
  },
  tables: {
    name: 'tables: entities and migrations agree',
    commands: ['mikro-orm migration:check || { mikro-orm schema:update --dump; false; }'],
    remedy:
      'the SQL above would make the tables like the entities: npx mikro-orm migration:create --name PURPOSE writes it to migrations/ (then add its line to migrations/index.ts), or correct the entity in src/db/entities',
  },
};

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(STEPS);
await Promise.all(chosen.map(run));

/** All at the same time: each uses one processor for most of its time. */
async function run(step) {
  const { name, commands, remedy } = STEPS[step];
  const begunMs = performance.now();
  const ended = await Promise.all(commands.map(output));
  const seconds = ((performance.now() - begunMs) / 1000).toFixed(1);
  const failed = ended.filter(({ isGood }) => !isGood);
  if (failed.length === 0) {
    process.stdout.write(`ok      ${name} (${seconds} s)\n`);
  } else {
    process.stdout.write(`${failed.map(({ text }) => text).join('')}FAILED  ${name}\n        ${remedy}\n`);
    process.exitCode = 1;
  }
}

function output(command) {
  return new Promise((resolve) => {
    exec(command, { maxBuffer: 2 ** 26, env: { ...process.env, NO_COLOR: '1' } }, (error, stdout, stderr) =>
      resolve({ isGood: error === null, text: stdout + stderr }),
    );
  });
}
