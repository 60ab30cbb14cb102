/** A mutation answers as the next query does. The fields come from the schema, so a new one is tested too. (Interface 11) */
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createWebhook, pauseWebhook } from '../../src/admin/webhooks.js';
import { withTotp } from '../support/gateway/factors.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, dataOf, newApiKey, newCronKey, newcomer } from '../support/gateway/graphql.js';
import { login, WRONG } from '../support/gateway/routes.js';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const mutations = schema.getMutationType()?.getFields() ?? {};

/** Nobody listens there. */
const HOOK = 'http://127.0.0.1:9/hook';
/** So that nothing is sent meanwhile */
const NEVER_MS = 3_600_000;
/** Fields that time alone changes: the clock of the database decides them */
const PASSING = { lag: expect.any(Number) };

let gateway: TestGateway;
let admin: As;
beforeAll(async () => {
  const env = { WEBHOOK_HOSTS: '127.0.0.1:9', KNOWN_DEVICES: 'on', LOGIN_RATE_LIMIT: '1000' };
  gateway = await startGateway({ env, outboxPollMs: NEVER_MS });
  ({ as: admin } = await newcomer(gateway, 'admin'));
});
afterAll(() => gateway.close());

/** A user in whom nothing has its first value: failed logins, a lock, sessions and a device. */
async function aUser(): Promise<string> {
  const { user } = await newcomer(gateway, 'analyst');
  await login(gateway, user.email, WRONG);
  const until = new Date(gateway.clock.now().getTime() + 60_000);
  await gateway.rows('update users set failed_login_attempts = 3, locked_until = $2 where id = $1', [user.id, until]);
  return user.id;
}

async function aSession(): Promise<string> {
  const { user } = await newcomer(gateway);
  const [session] = await gateway.rows<{ id: string }>(
    'select family_id as id from refresh_tokens where user_id = $1',
    [user.id],
  );
  return session?.id ?? '';
}

async function aWebhook(): Promise<string> {
  return (await createWebhook(gateway.app, COMMAND_LINE, { url: HOOK, eventTypes: ['logout'] })).webhook.id;
}

const LONG = 'a password of fifteen and more';
let count = 0;
function fresh(): string {
  count += 1;
  return `answered${count}@example.com`;
}

/** An input for each mutation that answers an object. */
const INPUTS: Record<string, () => Promise<object> | object> = {
  createUser: () => ({ email: fresh(), password: LONG, role: 'viewer' }),
  setUserRole: async () => ({ id: await aUser(), role: 'viewer' }),
  setUserEmail: async () => ({ id: await aUser(), email: fresh() }),
  setUserActive: async () => ({ id: await aUser(), isActive: false }),
  unlockUser: async () => ({ id: await aUser() }),
  setUsersActive: async () => ({ ids: [await aUser()], isActive: false }),
  unlockUsers: async () => ({ ids: [await aUser()] }),
  importUsers: () => ({ lines: [JSON.stringify({ email: fresh(), role: 'analyst' })] }),
  resetFactors: async () => ({ userId: (await withTotp(gateway)).user.id }),
  setUserPassword: async () => {
    const { createUser } = await dataOf(
      gateway,
      admin,
      `mutation { createUser(input: { email: "${fresh()}", role: viewer }) { user { id } } }`,
    );
    return { id: createUser.user.id, password: LONG };
  },
  revokeSession: async () => ({ id: await aSession() }),
  createApiKey: () => ({ serviceName: 'billing', scopes: ['a:b'], rateLimit: 60 }),
  rotateApiKey: async () => ({ id: (await newApiKey(gateway, ['a:b'])).keyId, overlapSeconds: 60 }),
  revokeApiKey: async () => ({ id: (await newApiKey(gateway, ['a:b'])).keyId }),
  createCronKey: () => ({ serviceName: 'nightly', scopes: ['a:b'] }),
  rotateCronKey: async () => ({ id: (await newCronKey(gateway, ['a:b'])).keyId, overlapSeconds: 60 }),
  revokeCronKey: async () => ({ id: (await newCronKey(gateway, ['a:b'])).keyId }),
  createWebhook: () => ({ url: HOOK, eventTypes: ['logout'], includeEmails: true }),
  rotateWebhookSecret: async () => ({ id: await aWebhook() }),
  testWebhook: async () => ({ id: await aWebhook() }),
  pauseWebhook: async () => ({ id: await aWebhook() }),
  resumeWebhook: async () => {
    const id = await aWebhook();
    await pauseWebhook(gateway.app, COMMAND_LINE, id);
    return { id };
  },
  replayWebhook: async () => ({ id: await aWebhook(), since: gateway.clock.now() }),
};

/** How the objects of a type are asked for by id, and where they are in the data. */
const QUERIES: Record<string, (id: string, fields: string) => string> = {
  User: (id, fields) => `{ found: user(id: "${id}") { ${fields} } }`,
  Session: (id, fields) => `{ found: session(id: "${id}") { ${fields} } }`,
  ApiKey: (id, fields) => `{ found: apiKeys(first: 1, filter: { ids: ["${id}"] }) { nodes { ${fields} } } }`,
  CronKey: (id, fields) => `{ found: cronKeys(first: 1, filter: { ids: ["${id}"] }) { nodes { ${fields} } } }`,
  Webhook: (id, fields) => `{ found: webhook(id: "${id}") { ${fields} } }`,
};

/** Every field of a type, and of the objects in its fields every leaf. */
function fieldsOf(type: GraphQLObjectType, isOuter = true): string {
  return Object.values(type.getFields())
    .map(({ name, args, type: wrapped }) => {
      const inner = getNamedType(wrapped);
      if (isLeafType(inner)) return name;
      if (!isObjectType(inner) || !isOuter) return '';
      const nodes = inner.getFields()['nodes'];
      if (nodes === undefined) return `${name} { ${fieldsOf(inner, false)} }`;
      const first = args.some((arg) => arg.name === 'first') ? '(first: 5)' : '';
      return `${name}${first} { nodes { ${fieldsOf(getNamedType(nodes.type) as GraphQLObjectType, false)} } }`;
    })
    .join(' ');
}

/** The object that a mutation answers, if it does */
function answered(mutation: string): { field: string; type: GraphQLObjectType } | undefined {
  const payload = getNamedType(mutations[mutation]?.type);
  const fields = isObjectType(payload) ? Object.values(payload.getFields()) : [];
  const field = fields.find(({ type }) => String(getNamedType(type)) in QUERIES);
  return field && { field: field.name, type: getNamedType(field.type) as GraphQLObjectType };
}

test.each(Object.keys(mutations).filter(answered))(
  'Interface 11: %s answers what the next query would, in every field',
  async (mutation) => {
    const { field = '', type } = answered(mutation) ?? {};
    const fields = fieldsOf(type as GraphQLObjectType);
    const input = await INPUTS[mutation]?.();
    const Input = getNamedType(mutations[mutation]?.args[0]?.type);
    const text = `mutation ($input: ${Input}!) { ${mutation}(input: $input) { ${field} { ${fields} } } }`;
    const answer = (await dataOf(gateway, admin, text, { input }))[mutation][field];
    const [object] = [answer].flat(); // one, or a list of one
    const { found } = await dataOf(gateway, admin, QUERIES[String(type)]?.(object.id, fields) ?? '');
    const next = found.nodes?.find(({ id }: { id: string }) => id === object.id) ?? found;
    const passing = type?.name === 'Webhook' ? PASSING : {};
    expect(object).toEqual({ ...next, ...passing });
  },
);
