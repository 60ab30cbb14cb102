/** The guarantees of the schema about every type. (Interface 7 and 11) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, dataOf, newcomer } from '../support/gateway/graphql.js';

let gateway: TestGateway;
let as: As;
beforeAll(async () => {
  gateway = await startGateway();
  ({ as } = await newcomer(gateway));
});
afterAll(() => gateway.close());

test('Interface 11: custom scalars say where they are specified', async () => {
  const { __schema } = await dataOf(gateway, as, '{ __schema { types { name kind specifiedByURL } } }');
  const scalars = __schema.types.filter(({ kind }: { kind: string }) => kind === 'SCALAR');
  const builtIn = ['Boolean', 'Float', 'ID', 'Int', 'String'];
  const own = scalars.filter(({ name }: { name: string }) => !builtIn.includes(name));
  expect(own.map(({ name }: { name: string }) => name).sort()).toEqual(['DateTime', 'JSON']);
  for (const { specifiedByURL } of own) expect(specifiedByURL).toMatch(/^https?:\/\//);
});

test('Interface 11: every root field that can fail is nullable: all but `caller`', async () => {
  const root = 'fields { name type { kind } }';
  const { __schema } = await dataOf(gateway, as, `{ __schema { queryType { ${root} } mutationType { ${root} } } }`);
  const fields = [...__schema.queryType.fields, ...__schema.mutationType.fields];
  const nonNull = fields.filter(({ type }: { type: { kind: string } }) => type.kind === 'NON_NULL');
  expect(nonNull.map(({ name }: { name: string }) => name)).toEqual(['caller']);
});
