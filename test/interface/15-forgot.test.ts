/** People who have forgotten their password are mailed a link, and nobody learns who has an account. (Interface 15 and 17) */

import { COMMAND_LINE } from '../../src/admin/administer.js';
import { mailPasswordLink } from '../../src/admin/password-links.js';
import { settled } from '../mail/mailing.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { CHOSEN, forgot, redeem } from '../support/gateway/passwords.js';
import { until } from '../support/until.js';

const ANSWER = { detail: 'If this address has an account, a message is on its way' };

let gateway: TestGateway;
let printed: string[];
beforeEach(async () => {
  printed = [];
  gateway = await startGateway({
    env: { MAIL: 'log' },
    instances: 2,
    outboxPollMs: 20,
    print: (line) => void printed.push(line),
  });
});
afterEach(() => gateway.close());

const requests = (): Promise<Array<{ user_id: string | null; metadata: object }>> =>
  gateway.rows(
    `select user_id, metadata from audit_events where event_type = 'password_reset_requested' order by written_at`,
  );
const links = (): string[] => printed.flatMap((line) => /#token=(pl_\w+)/.exec(line)?.[1] ?? []);

test('Interface 15: a link is mailed that sets a new password, once', async () => {
  const { id, email } = await gateway.user();
  expect(await forgot(gateway, ` ${email.toUpperCase()} `)).toMatchObject({ status: 202, json: ANSWER, cookies: [] });
  expect(await requests()).toEqual([{ user_id: id, metadata: { email } }]);
  await until('the mail is printed', () => links().length === 1);
  expect(printed).toContain(`To: ${email}`);
  await until(
    'the mail is printed',
    async () => (await gateway.rows('select from requested_links where sealed_token is null')).length === 1,
  );
  const [token = ''] = links();
  expect((await redeem(gateway, token, CHOSEN)).status).toBe(204);
  expect((await redeem(gateway, token, `${CHOSEN} again`)).status).toBe(401);
  await until('the mail is printed', () => printed.filter((line) => line.startsWith('Subject:')).length === 2); // and a notice
  const issued = await gateway.rows(`select metadata from audit_events where event_type = 'password_link_issued'`);
  expect(issued).toEqual([{ metadata: { by: 'request', purpose: 'reset', expires_at: expect.any(String) } }]);
  const audit = JSON.stringify(await gateway.rows('select * from audit_events'));
  expect(audit).not.toContain(token);
});

test('Interface 15: unknown and deactivated e-mails are answered alike, and nobody is mailed', async () => {
  const { id, email } = await gateway.user();
  await gateway.rows('update users set is_active = false where id = $1', [id]);
  for (const unknown of [email, 'nobody@example.com']) {
    expect(await forgot(gateway, unknown)).toMatchObject({ status: 202, json: ANSWER });
  }
  expect(await requests()).toEqual([
    { user_id: null, metadata: { email } },
    { user_id: null, metadata: { email: 'nobody@example.com' } },
  ]);
  const known = await gateway.user();
  await forgot(gateway, known.email);
  await until('the mail is printed', () => links().length === 1); // mail has read beyond them
  expect(printed.filter((line) => line.startsWith('To: '))).toEqual([`To: ${known.email}`]);
});

test('Interface 15: three mails an hour for one user, over all instances and addresses; requests that share one count once', async () => {
  const instances = gateway.two();
  const { email } = await gateway.user();
  const ask = async (count: number): Promise<number> => {
    await Promise.all(
      Array.from({ length: count }, (_, i) => forgot(instances[i % 2] ?? gateway, email, `2001:db8:${i}::1`)),
    );
    await settled(gateway);
    return links().length;
  };
  await until('no mail is being sent', async () => {
    const paused = 'update outbox_cursors set paused_at = now() where claimed_by is null returning id';
    return (await gateway.rows(paused)).length === 1;
  });
  for (let i = 0; i < 12; i += 1) expect(await forgot(gateway, email)).toMatchObject({ status: 202, json: ANSWER });
  await gateway.rows('update outbox_cursors set paused_at = null');
  await settled(gateway);
  expect(links()).toHaveLength(1);
  expect(await ask(1)).toBe(2);
  gateway.clock.advance(3_599);
  expect(await ask(12)).toBe(3);
  expect(await ask(1)).toBe(3);
  const [, , newest = ''] = links();
  for (const older of links().slice(0, 2)) expect((await redeem(gateway, older)).status).toBe(401);
  gateway.clock.advance(1);
  expect(await ask(1)).toBe(4); // an hour after the first
  expect((await redeem(gateway, newest)).status).toBe(401);
  expect(await ask(1)).toBe(5);
  expect(await ask(1)).toBe(5);
  expect((await redeem(gateway, links().at(-1))).status).toBe(204);
  expect(await ask(1)).toBe(5); // its use gives nobody another mail
  expect(await requests()).toHaveLength(30);
  expect((await gateway.app.metrics.mails.get()).values).toContainEqual(
    expect.objectContaining({ labels: { outcome: 'limited' } }),
  );
});

test.each(['', 7, null])('Interface 15: %j is no e-mail', async (email) => {
  expect(await forgot(gateway, email)).toMatchObject({ status: 422, json: { reason: 'body_invalid' } });
  expect(await requests()).toEqual([]);
});

test('Interface 15: the route is 404 while mail is off', async () => {
  const off = await startGateway();
  expect((await forgot(off, 'ada@example.com')).status).toBe(404);
  await off.close();
});

test('Interface 17: an invitation is mailed, and nobody else sees its link', async () => {
  const { id, email } = await gateway.user({ password: null });
  const expiresAt = await mailPasswordLink(gateway.app, COMMAND_LINE, id, 'invitation');
  expect(expiresAt).toBeInstanceOf(Date);
  await until('the mail is printed', () => links().length === 1);
  expect(printed).toContain(`To: ${email}`);
  expect((await redeem(gateway, links()[0] ?? '', PASSWORD)).status).toBe(204);
});
