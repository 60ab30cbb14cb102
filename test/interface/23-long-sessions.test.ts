/** Whether a session is live is read from its newest records, however many it has. (Interface 22 and 23) */
import { askAs, FORWARD_AUTH } from '../support/gateway/authz.js';
import { claimsOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { gathering } from '../support/gateway/gathering.js';
import { newcomer } from '../support/gateway/graphql.js';
import { logout } from '../support/gateway/routes.js';
import { type Statement, watchStatements } from '../support/gateway/work.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: FORWARD_AUTH });
});
afterAll(() => gateway.close());

/**
 * A session with used records.
 * @param apart from the live one: an interval, negative if they are older
 * @param used how many; by default more than are read at first
 */
async function rotated(apart: string, used = 6): Promise<Awaited<ReturnType<typeof newcomer>>> {
  const session = await newcomer(gateway);
  await gateway.rows(
    `insert into refresh_tokens (jti, user_id, family_id, revoked, revoked_reason, user_agent, ip_address, expires_at, created_at)
     select gen_random_uuid(), user_id, family_id, true, 'rotated', '', '', expires_at, created_at + number * $2::interval
     from refresh_tokens, generate_series(1, $3::integer) as number where family_id = $1`,
    [claimsOf(session.accessToken)['sid'], apart, used],
  );
  return session;
}

async function statusOf(accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await askAs(gateway, 'forward-auth', 'caller=user;live=on', { headers })).status;
}

test.each([
  ['older', '-1 minute'],
  ['newer, by the clock of another instance', '1 second'],
])('Interface 23: a session is live until it ends if its used records are %s', async (_than, apart) => {
  const sessions = await Promise.all(Array.from({ length: 4 }, () => rotated(apart)));
  const [first] = sessions;
  const tokens = sessions.map(({ accessToken }) => accessToken);
  expect(await statusOf(tokens[0] ?? '')).toBe(200);
  const together = () => gathering(gateway, 2, () => Promise.all([...tokens, ...tokens].map(statusOf)));
  expect(await together()).toEqual(Array.from({ length: 8 }, () => 200));
  await logout(gateway, first?.refreshToken);
  expect(await statusOf(tokens[0] ?? '')).toBe(401);
  expect(await together()).toEqual([401, 200, 200, 200, 401, 200, 200, 200]);
});

test('Interface 23: a session whose newest record has expired is not live', async () => {
  const { accessToken } = await rotated('-1 minute');
  await gateway.rows('update refresh_tokens set expires_at = $2 where family_id = $1 and not revoked', [
    claimsOf(accessToken)['sid'],
    new Date(gateway.clock.now().getTime() - 1),
  ]);
  expect(await statusOf(accessToken)).toBe(401);
});

/** Of `explain (analyze, format json)` */
interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

function nodesOf(node: PlanNode | undefined): PlanNode[] {
  return node === undefined ? [] : [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

test('Interface 23: of a session with two thousand used records four are read, live or ended', async () => {
  const session = await rotated('-1 minute', 2_000);
  await gateway.rows('analyze');
  const asked: Statement[] = [];
  watchStatements(gateway.app.db, (statement) => asked.push(statement));
  const rowsRead = async (status: number): Promise<number[]> => {
    expect(await statusOf(session.accessToken)).toBe(status);
    const { sql = '', parameters } = asked.at(-1) ?? {};
    const explain = `explain (analyze, format json) ${sql}`;
    const [plan] = await gateway.rows<{ 'QUERY PLAN': Array<{ Plan: PlanNode }> }>(explain, parameters);
    return nodesOf(plan?.['QUERY PLAN'][0]?.Plan)
      .filter((node) => node['Relation Name'] === 'refresh_tokens')
      .flatMap((node) => [node['Actual Rows'], node['Rows Removed by Filter'] ?? 0]);
  };
  expect(Math.max(...(await rowsRead(200)))).toBe(1);
  await logout(gateway, session.refreshToken);
  expect(Math.max(...(await rowsRead(401)))).toBe(4);
});
