/** A logout at a service behind the gate meets a refresh of the same session. (Interface 22) */
import { ORIGIN } from '../support/gateway/authz.js';
import { enter, GATE, visit } from '../support/gateway/gate.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { refresh } from '../support/gateway/routes.js';
import { auditDuring, liveRecords } from '../support/gateway/rows.js';
import { holdNewRecords } from '../support/postgres/hold.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: GATE });
});
afterAll(() => gateway.close());

test('Interface 22: a logout that waits for a refresh ends its new token too', async () => {
  const { refreshToken } = await newcomer(gateway);
  const { cookies } = await enter(gateway, { refreshToken });
  const leaving = { method: 'POST', target: '/.auth-gateway/logout', cookies, headers: { Origin: ORIGIN } };
  await using held = await holdNewRecords(gateway);
  const refreshed = refresh(gateway, refreshToken);
  await held.waiting(1);
  const [left, events] = await auditDuring(gateway, async () => {
    const leaves = visit(gateway, leaving);
    await held.waiting(2);
    await held.release();
    return leaves;
  });
  expect([(await refreshed).status, left.status]).toEqual([200, 302]);
  expect(await liveRecords(gateway)).toEqual([]);
  expect(events.map(({ event_type }) => event_type)).toEqual(['logout']);
  expect((await visit(gateway, { cookies })).status).toBe(302);
});
