/** SECURITY.md: after a leak its commands find all that the leaked token made, and what that made in turn, and undo it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EVENT_TYPES, OPERATOR_EVENT_TYPES } from '../../src/audit/events.js';
import { runningClock } from '../support/gateway/clock.js';
import { addPasskey, logInByPasskey } from '../support/gateway/factors.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, internalKey, newApiKey, signed, signIn } from '../support/gateway/graphql.js';
import { login } from '../support/gateway/routes.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { testWith } from '../support/programs/with-programs.js';
import { testedBlock } from './printed.js';

const PAGE = 'SECURITY.md';
const list = testedBlock(PAGE, 'changes');
const OF_THE_THIEF = 'a password of the thief';

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock() });
  folder = await mkdtemp(join(tmpdir(), 'after-a-leak-'));
  await symlink(resolve('bin/auth-gateway'), join(folder, 'auth-gateway'));
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

function type(command: string): string {
  const env = {
    PATH: `${folder}:${process.env['PATH']}`,
    DATABASE_URL: gateway.database.url,
    KEYRING_FILE: required(KEYRING_FILE),
    PUBLIC_URL: gateway.config.publicUrl,
  };
  return execFileSync('bash', ['-c', command], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

interface Change {
  type: string;
  userId: string;
  metadata: { key_id?: string; from?: string };
}

/** What the command of the page lists. */
function changesBy(id: string): Change[] {
  const printed = type(`${list.replace('ID', id)} || [ $? = 1 ]`); // grep exits 1 if nothing is found
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, event = '', userId = ''] = line.split(/ +/);
      return { type: event, userId, metadata: JSON.parse(line.slice(line.indexOf('{'))) };
    });
}

/** As the page asks for it: the same with the id of each key and user that is found. */
function allChangesSince(leaked: string): Change[] {
  const changes: Change[] = [];
  const ids = new Set([leaked]);
  for (const id of ids) {
    for (const change of changesBy(id)) {
      changes.push(change);
      ids.add(change.metadata.key_id ?? change.userId);
    }
  }
  return changes;
}

/** The row of the table that names the event */
function rowOf(event: string): string | undefined {
  return readFileSync(PAGE, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('| `') && line.split('|')[1]?.includes(`\`${event}\``));
}

/** The command of its row */
function cureOf({ type: event, userId, metadata }: Change): string {
  const row = rowOf(event);
  const [, command = ''] = /`([^`]+)`/.exec(row?.split('|')[2] ?? '') ?? [];
  const filledIn = command.replace('KEY_ID', metadata.key_id ?? '').replace('USER_ID', userId);
  const yes = /revoke|overlap 0/.test(command) ? ' --yes' : '';
  return `auth-gateway ${filledIn.replace('ROLE', metadata.from ?? '')}${yes}`;
}

/** What a thief does with the token of an administrator. @returns what works for him from then on, and whom he has changed */
async function steal(leaked: As) {
  const by = (as: As, field: string) => dataOf(gateway, as, `mutation { ${field} }`);
  const keyBy = async (as: As) => {
    const input = '{ serviceName: "billing", scopes: ["keys:write"], rateLimit: 1000 }';
    const { createApiKey } = await by(as, `createApiKey(input: ${input}) { apiKey { id } secret }`);
    return signed(gateway, createApiKey.apiKey.id, createApiKey.secret);
  };
  const nightBy = async (as: As) => {
    const made = await by(as, 'createCronKey(input: { serviceName: "night", scopes: [] }) { headerValue }');
    return internalKey(made.createCronKey.headerValue);
  };
  const service = await newApiKey(gateway, ['invoices:read']);
  const [victim, colleague] = [await gateway.user(), await gateway.user()];

  const child = await keyBy(leaked);
  const grandchild = await keyBy(child);
  const { rotateApiKey } = await by(leaked, `rotateApiKey(input: { id: "${service.keyId}" }) { secret }`);
  const own = `{ email: "thief@example.com", password: "${OF_THE_THIEF}", role: admin }`;
  const { createUser } = await by(leaked, `createUser(input: ${own}) { user { id email } }`);
  const asAdmin = (await signIn(gateway, createUser.user, OF_THE_THIEF)).as;
  await by(asAdmin, `setUserPassword(input: { id: "${victim.id}", password: "${OF_THE_THIEF}" }) { user { id } }`);
  await by(asAdmin, `setUserRole(input: { id: "${colleague.id}", role: analyst }) { user { id } }`);
  const rotated = signed(gateway, service.keyId, rotateApiKey.secret);
  return {
    keys: [child, grandchild, rotated, await nightBy(grandchild), await nightBy(asAdmin)],
    asAdmin,
    emails: [createUser.user.email, victim.email],
    colleague,
  };
}

test('SECURITY.md has a row for each change that has an actor', () => {
  expect(OPERATOR_EVENT_TYPES.filter((event) => rowOf(event) === undefined)).toEqual([]);
});

testWith(
  ['bash', 'grep'],
  'SECURITY.md: what a leaked token changed of its own account is found and undone',
  async () => {
    const [, section = ''] = readFileSync(PAGE, 'utf8').split('### What the account changed itself\n');
    const commands = Array.from((section.split('\n### ')[0] ?? '').matchAll(/`([^`]+)`/g), ([, words = '']) => words);
    const leaked = await signIn(gateway, await gateway.user());
    const { authenticator } = await addPasskey(gateway, leaked);
    const [list = '', ...others] = commands.map((words) => words.replace('EMAIL', leaked.user.email));
    const named = others.filter((word) => EVENT_TYPES.some((event) => event === word));
    const found = type(`auth-gateway ${list}`)
      .split('\n')
      .map((line) => line.split(/ +/)[1]);
    expect(found).toEqual(expect.arrayContaining(['login_success', 'factor_added']));
    expect(named).toEqual(expect.arrayContaining(['factor_added', 'email_changed', 'user_password_changed']));

    type(`auth-gateway user set-password ${leaked.user.email}`);
    expect((await logInByPasskey(gateway, authenticator)).status).toBe(200);
    type(`auth-gateway ${others.find((words) => words.includes('reset-factors'))}`);
    expect((await logInByPasskey(gateway, authenticator)).status).toBe(401);
  },
);

testWith(
  ['bash', 'grep'],
  'SECURITY.md: what a leaked token made, and what that made, is found and undone',
  async () => {
    const leaked = await signIn(gateway, await gateway.user({ role: 'admin' }));
    const mine = await signIn(gateway, await gateway.user({ role: 'admin' }));
    const { keys, asAdmin, emails, colleague } = await steal(leaked.as);
    await dataOf(gateway, mine.as, `mutation { unlockUser(input: { id: "${colleague.id}" }) { user { id } } }`);

    type(`auth-gateway user deactivate ${leaked.user.email}`);
    const changes = allChangesSince(leaked.user.id);
    const types = changes.map((change) => change.type).toSorted();
    expect(types).toEqual([
      ...['api_key_created', 'api_key_created', 'api_key_rotated', 'cron_key_created', 'cron_key_created'],
      ...['user_created', 'user_password_set', 'user_role_changed'],
    ]);

    for (const change of changes) type(cureOf(change));
    for (const as of keys) expect((await ask(gateway, as, '{ caller { callerType } }')).status).toBe(401);
    for (const as of [leaked.as, asAdmin])
      expect((await ask(gateway, as, 'mutation { revokeOtherSessions { revokedCount } }')).code).toBe('FORBIDDEN');
    for (const email of emails) expect((await login(gateway, email, OF_THE_THIEF)).status).toBe(401);
    const roles = await gateway.rows('select role from users where id = $1', [colleague.id]);
    expect(roles).toEqual([{ role: 'viewer' }]);
  },
);
