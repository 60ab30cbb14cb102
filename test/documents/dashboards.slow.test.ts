/** docs/dashboards.md: the lines for urql add pages, as Apollo Client does in examples/dashboard. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { packagesFolder } from '../support/programs/packages.js';
import { testedBlock } from './printed.js';

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway();
  folder = await mkdtemp(join(await packagesFolder(), 'dashboards-'));
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

const AUTH = `
const auth = {
  fetch: (path, init) =>
    fetch(process.env.GATEWAY + path, {
      ...init,
      headers: { ...init.headers, authorization: 'Bearer ' + process.env.TOKEN },
    }),
};
`;
const LOAD_ALL = `
const query = \`query Users($after: String, $filter: UserFilter) {
  users(first: 5, after: $after, filter: $filter) { edges { node { id email } } pageInfo { hasNextPage endCursor } }
}\`;
const counts = [];
for (const filter of [{}, { role: 'analyst' }]) {
  for (let after, more = true; more; ) {
    const { data, error } = await client.query(query, { after, filter });
    if (error) throw error;
    counts.push(data.users.edges.length);
    ({ endCursor: after, hasNextPage: more } = data.users.pageInfo);
  }
}
console.log(JSON.stringify(counts));
`;

test('docs/dashboards.md: in urql each page is added to those before it, of the same filter', async () => {
  const { accessToken } = await newcomer(gateway, 'analyst');
  while ((await gateway.rows('select from users')).length < 12) await gateway.user();
  const program = join(folder, 'urql.mjs');
  const block = testedBlock('docs/dashboards.md', 'urql');
  await writeFile(program, block.replace('export const client', `${AUTH}export const client`) + LOAD_ALL);
  const env = { PATH: process.env['PATH'], TOKEN: accessToken, GATEWAY: gateway.url };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
  expect(JSON.parse(stdout)).toEqual([5, 10, 12, 1]);
});
