/** Mails an operator a test, to see that the mail server takes mails. It is no event, so it is not logged. (Interface 17) */

import { administer, type Operator } from '../admin/administer.js';
import { existingUser } from '../admin/users.js';
import { AdminRefusal } from '../listing/refusal.js';
import type { Delivery } from '../outbox/consumer.js';
import { randomUuid } from '../platform/ids.js';
import { createRateLimiter } from '../rate-limits/rate-limiter.js';
import type { Deps } from '../services.js';
import { htmlOf } from './html.js';
import { senderIn, TESTS_MAIL } from './mail.js';
import { createMailer } from './mailer.js';

/** Test mails of one user in an hour */
const HOURLY_LIMIT = 5;
const HOUR_SECONDS = 3_600;

export interface MailTest {
  delivery: Delivery;
  /** From the name of the server to its answer */
  milliseconds: number;
}

/**
 * Mails nobody else, so that it is of no use for spam.
 * @param userId of the operator
 * @param print writes a line to the terminal, for MAIL=log
 * @param timeoutMs after which the attempt has failed: milliseconds
 * @throws {AdminRefusal} `mail_off`, `rate_limited`, or as `administer`
 */
export async function testMail(
  deps: Deps<'clock' | 'config' | 'db' | 'redis' | 'tracing'>,
  operator: Operator,
  userId: string,
  print: (line: string) => void,
  timeoutMs: number,
): Promise<MailTest> {
  const { clock, config } = deps;
  const { email } = await administer(deps, operator, TESTS_MAIL, ({ db, now }) => existingUser(db, userId, now));
  if (config.mail.kind === 'off') throw new AdminRefusal('mail_off', 'Mail is off; set MAIL to send mails');
  const { count } = await createRateLimiter(deps, 'test_mail', HOUR_SECONDS).count(userId);
  if (count > HOURLY_LIMIT) {
    throw new AdminRefusal('rate_limited', `You can send ${HOURLY_LIMIT} test mails an hour, try again later`);
  }
  const subject = `Test mail from ${config.productName}`;
  const text = `The gateway at ${config.publicAuthority} can send mail.\n\nYou have asked for this test. Nothing else has happened.\n`;
  const mail = {
    id: `${randomUuid()}@${new URL(config.publicUrl).hostname}`,
    date: clock.now(),
    from: senderIn(config),
    to: email,
    subject,
    text,
    html: htmlOf(subject, text),
  };
  const mailer = await createMailer(config, print);
  const late = AbortSignal.timeout(timeoutMs);
  const began = performance.now();
  try {
    const delivery = await mailer.send(mail, late);
    return { delivery, milliseconds: Math.round(performance.now() - began) };
  } catch (error) {
    if (!late.aborted) throw error;
    return { delivery: { kind: 'failed', outcome: 'timeout' }, milliseconds: timeoutMs };
  } finally {
    mailer.close();
  }
}
