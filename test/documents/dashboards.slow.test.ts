/** examples/dashboard: code generation and Apollo Client fit together, compile and are answered. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as operations from '@graphql-codegen/typescript-operations';
import { parse } from 'graphql';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { packagesFolder } from '../support/programs/packages.js';

const run = promisify(execFile);
const read = (name: string) => readFile(`examples/dashboard/${name}`, 'utf8');
const PLUGINS = { 'typescript-operations': operations, 'typed-document-node': typedDocumentNode };

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway();
  folder = await mkdtemp(join(await packagesFolder(), 'dashboards-'));
  await writeFile(join(folder, 'package.json'), await read('package.json'));
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

/** A program of the example, which asks this gateway. */
async function copyOf(name: string): Promise<string> {
  const program = join(folder, name);
  await writeFile(program, (await read(name)).replace('http://localhost:3000', gateway.url));
  return program;
}

test('examples/dashboard: "Load more" in Apollo Client adds each page to those before it', async () => {
  const { accessToken } = await newcomer(gateway, 'analyst');
  while ((await gateway.rows('select from users')).length < 12) await gateway.user();
  const total = (await gateway.rows('select from users')).length;
  const program = await copyOf('load-more.ts');
  const env = { PATH: process.env['PATH'], TOKEN: accessToken };
  const { stdout } = await run(process.execPath, [program], { env, timeout: 30_000 });
  const shown = stdout.trim().split('\n'); // Apollo may report a page twice, or two at once
  expect([shown[0], shown.at(-1)]).toEqual([`5 of ${total}`, `${total} of ${total}`]);
});

test('examples/dashboard: from the configuration to an answer in Apollo Client', async () => {
  const { documents, generates } = JSON.parse(await read('codegen.json'));
  expect([documents, Object.keys(generates)]).toEqual(['./queries.graphql', ['./generated.ts']]);
  const { plugins, config } = generates['./generated.ts'];
  const document = parse(await read('queries.graphql'));
  const generated = await codegen({
    schema: parse(await readFile('schema.graphql', 'utf8')),
    documents: [{ location: 'queries.graphql', document }],
    filename: 'generated.ts',
    config,
    plugins: plugins.map((plugin: string) => ({ [plugin]: {} })),
    pluginMap: PLUGINS,
  });
  await writeFile(join(folder, 'generated.ts'), generated);
  const program = await copyOf('show.ts');
  const options = ['--ignoreConfig', '--strict', '--skipLibCheck', '--noEmit', '--allowImportingTsExtensions'];
  const target = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  await run('node_modules/.bin/tsc', [...options, ...target, program, join(folder, 'load-more.ts')]).catch(
    (error: { stdout: string }) => {
      throw new Error(error.stdout);
    },
  );

  const { accessToken } = await newcomer(gateway, 'analyst');
  const locked = await gateway.user();
  await gateway.rows("update users set locked_until = '2100-01-01' where id = $1", [locked.id]);
  const env = { PATH: process.env['PATH'], TOKEN: accessToken };
  const { stdout } = await run(process.execPath, [program], { env });
  expect(stdout).toContain("role: 'analyst'");
  expect(stdout).toContain(locked.email);
});

test('examples/dashboard: its packages are of the versions that are tested', async () => {
  const { dependencies, devDependencies } = JSON.parse(await read('package.json'));
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    const tested = packages[`node_modules/${name}`]?.version ?? version; // the command line of the generator is not
    expect([name, version]).toEqual([name, tested]);
  }
});
