/** GraphQL code generation for Apollo Client and urql, compiled strictly, run against the gateway. (Interface 11) */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, Kind, parse } from 'graphql';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.js';
import { newcomer } from '../../support/gateway/graphql.js';
import { packagesFolder } from '../../support/programs/packages.js';

const HERE = 'test/graphql/codegen';
const run = promisify(execFile);
const document = async () => parse(await readFile(`${HERE}/dashboard.graphql`, 'utf8'));
const schemaText = () => readFile('schema.graphql', 'utf8');

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway();
  folder = await mkdtemp(join(await packagesFolder(), 'codegen-'));
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

test('the operations request every root field', async () => {
  const { definitions } = await document();
  const asked = definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : [],
  );
  const names = asked.map((field) => (field.kind === Kind.FIELD ? field.name.value : ''));
  const schema = buildSchema(await schemaText());
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  expect(names.toSorted()).toEqual(fields.toSorted());
});

test('the generated types have no `any`, compile strictly, and work with both clients', async () => {
  const generated = await codegen({
    schema: parse(await schemaText()),
    documents: [{ location: 'dashboard.graphql', document: await document() }],
    filename: 'generated.ts',
    config: {
      strictScalars: true,
      scalars: { DateTime: 'string', JSON: 'Record<string, unknown>' },
      useTypeImports: true,
    },
    plugins: [{ operations: {} }, { typedDocumentNode: {} }],
    pluginMap: { operations, typedDocumentNode },
  });
  expect(generated).not.toMatch(/\bany\b(?!.*\*)/);
  await writeFile(join(folder, 'generated.ts'), generated);
  await copyFile(`${HERE}/clients.ts`, join(folder, 'clients.ts'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const options = [
    '--ignoreConfig',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--skipLibCheck',
  ];
  const target = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  const files = ['clients.ts', 'generated.ts'].map((file) => join(folder, file));
  await run('node_modules/.bin/tsc', [...options, ...target, ...files]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });

  const { accessToken, user } = await newcomer(gateway, 'admin');
  const other = await gateway.user();
  const program = [join(folder, 'clients.js'), `${gateway.url}/graphql`, accessToken];
  const { stdout } = await run(process.execPath, program);
  const { events, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({
    caller: 'user',
    session: true,
    scopes: ['a:b'],
    emails: [user.email, other.email].toSorted(),
    revoked: 'string',
  });
  expect(events).toHaveLength(2); // at one instant of the clock, so in any order
  expect(events).toEqual(
    expect.arrayContaining([
      ['cron_key_revoked', 'string'],
      ['cron_key_created', 'string'],
    ]),
  );
});
