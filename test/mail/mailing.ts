/** A gateway that mails, and the events that make it do so. */
import { randomUUID } from 'node:crypto';
import { writeAudit } from '../../src/audit/write.js';
import { issueLink } from '../../src/auth/password-links.js';
import { generateLinkToken } from '../../src/credentials/key-secrets.js';
import { sealSecret } from '../../src/credentials/sealed-secret.js';
import type { LinkPurpose } from '../../src/domain/link-purpose.js';
import { addSeconds } from '../../src/platform/clock.js';
import { type Instance, type Setup, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';
import type { ReceivedMail } from './read-mail.js';

export const FROM = 'Auth <auth@example.org>';

export const mailEnv = (url: string): Record<string, string> => ({
  MAIL: 'smtp',
  SMTP_URL: url,
  MAIL_FROM: FROM,
  PUBLIC_URL: 'https://auth.example.com',
  LOGIN_RATE_LIMIT: '1000000',
});

/** @param url of the mail server */
export function startMailing(url: string, { env = {}, ...setup }: Setup = {}): Promise<TestGateway> {
  return startGateway({ outboxPollMs: 20, env: { ...mailEnv(url), ...env }, ...setup });
}

interface Person {
  id: string;
  email: string;
}

/** As the route does it that people ask at. */
export async function requestReset({ app }: Instance, { id, email }: Person, ipAddress = '203.0.113.7'): Promise<void> {
  const event = {
    eventType: 'password_reset_requested',
    userId: id,
    ipAddress,
    userAgent: 'test',
    metadata: { email },
  };
  await writeAudit(app.db, [event as never], app.clock.now());
}

/** As `user invite --mail` does it. @returns the token that waits */
export async function issueMailed({ app, rows }: TestGateway, { id }: Person, purpose: LinkPurpose): Promise<string> {
  const token = generateLinkToken();
  const now = app.clock.now();
  const expiresAt = addSeconds(now, 72 * 3600);
  await issueLink(app.db, { userId: id, token, purpose, expiresAt });
  const sealed = await sealSecret(app.keyring, id, token, now);
  await rows('update password_links set sealed_token = $2 where user_id = $1', [id, sealed]);
  const metadata = { purpose, expires_at: expiresAt.toISOString(), mailed: true, actor: { caller_type: 'cli' } };
  const event = { eventType: 'password_link_issued', userId: id, ipAddress: 'cli', userAgent: '', metadata };
  await writeAudit(app.db, [event as never], now);
  return token;
}

export async function sealedTokens({ rows }: TestGateway): Promise<Array<string | null>> {
  const links = await rows<{ sealed_token: string | null }>(
    'select sealed_token from password_links union all select sealed_token from requested_links',
  );
  return links.map(({ sealed_token }) => sealed_token);
}

/** Number of attempts with this outcome, in all instances. */
export async function countOf({ instances }: TestGateway, outcome: string): Promise<number> {
  let sum = 0;
  for (const { app } of instances) {
    const { values } = await app.metrics.mails.get();
    sum += values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
  }
  return sum;
}

export function counted(gateway: TestGateway, outcome: string, count = 1): Promise<void> {
  return until(`${count} times ${outcome}`, async () => (await countOf(gateway, outcome)) >= count);
}

/** Resolves once so many mails have failed and wait. Attempts are no measure: before a new mail, one that waits is tried. */
export function parked({ rows }: TestGateway, count = 1): Promise<void> {
  return until(`${count} mails wait`, async () => {
    const waiting = await rows(
      `select from outbox_events join outbox_cursors on id = cursor_id
       where kind = 'mail' and due_at is not null and claimed_by is null`,
    );
    return waiting.length === count;
  });
}

/** Resolves once mail has read the whole log, and nothing waits. */
export async function settled(gateway: TestGateway): Promise<void> {
  const marker = `marker-${randomUUID()}`;
  const event = { eventType: 'login_failure', userId: null, ipAddress: marker, userAgent: '', metadata: { email: '' } };
  const [{ app } = gateway] = gateway.instances; // a test may have put another in the place of the first
  await writeAudit(app.db, [event as never], gateway.clock.now());
  await until('mail has read the log', async () => {
    const [row] = await gateway.rows(
      `select from audit_events, outbox_cursors
       where kind = 'mail' and ip_address = $1 and (front_at, front_id) >= (written_at, audit_events.id) and claimed_by is null`,
      [marker],
    );
    return row !== undefined;
  });
}

export const NEW_PASSWORD = 'a quite different battery staple';

/** @returns the status of the answer */
export async function redeem(gateway: Instance, { token }: ReceivedMail, new_password = NEW_PASSWORD): Promise<number> {
  const { status } = await gateway.send('POST', '/auth/password/redeem', { body: { token, new_password } });
  return status;
}
