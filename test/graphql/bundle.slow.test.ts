/** The bundler renames what several files call the same. It must not rename a type of the schema or an entity. */
import { readFileSync } from 'node:fs';
import { buildClientSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createCronKey } from '../../src/admin/cron-keys.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type ServerProcess, startProcess } from '../support/gateway/server-process.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let server: ServerProcess;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  const fields = { serviceName: 'bundle', scopes: ['users:read', 'users:write'] };
  key = (await createCronKey(gateway.app, COMMAND_LINE, fields)).headerValue;
  server = await startProcess(gateway, { NODE_ENV: 'production', GRAPHQL_INTROSPECTION: 'true' });
  await until('it listens', () =>
    fetch(`${server.url}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await gateway.close();
});

// biome-ignore lint/suspicious/noExplicitAny: the data of any query
async function dataOf(query: string): Promise<any> {
  const headers = { 'content-type': 'application/json', 'x-internal-key': key };
  const answer = await fetch(`${server.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  const { data, errors } = (await answer.json()) as { data: unknown; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

test('Interface 11: its schema is the printed one', async () => {
  const schema = buildClientSchema(await dataOf(getIntrospectionQuery({ specifiedByUrl: true })));
  const printed = readFileSync('schema.graphql', 'utf8').replace(/ @requiresScopes\(.*\)$/gm, ''); // introspection has only its definition
  expect(`${printSchema(lexicographicSortSchema(schema))}\n`).toBe(printed);
});

test('Interface 11: it creates and changes entities', async () => {
  const made = await dataOf(
    'mutation { createUser(input: {email: "b@example.com", password: "correct horse battery", role: viewer}) { user { id role } } }',
  );
  const { id } = made.createUser.user;
  const changed = await dataOf(`mutation { setUserRole(input: {id: "${id}", role: analyst}) { user { role } } }`);
  expect(changed.setUserRole.user).toEqual({ role: 'analyst' });
});
