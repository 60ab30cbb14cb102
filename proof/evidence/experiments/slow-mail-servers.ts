/**
 * A mail server that greets late, or takes minutes to answer a mail, gets each mail once, and holds up no other.
 * (Interface 17)
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type SmtpServer, startSmtpServer } from '../../../test/mail/smtp-server.js';
import { until } from '../../../test/support/until.js';
import type { Experiment, Size } from '../experiment.js';
import { ask } from '../lab/browser.js';
import { prepareGateways } from '../lab/gateways.js';
import { startPostgres } from '../lab/postgres.js';
import { createUsers } from '../lab/users.js';

/** Seconds. `answers`: after which the first mails are answered; those behind them are at once */
const SIZES: Record<Size, { greeting: number; answers: number[]; window: number }> = {
  small: { greeting: 20, answers: [12, 12, 20], window: 40 },
  full: { greeting: 40, answers: [12, 60, 280], window: 330 },
};
/** Mails behind the slow ones, and how long one may take: a third place at the server is free after ten seconds. */
const BEHIND = 4;
const BEHIND_SECONDS = 20;

export const slowMailServers: Experiment = {
  name: 'slow-mail-servers',
  mutants: [
    {
      name: 'the answer to a mail has to come within ten seconds',
      file: 'src/mail/smtp.ts',
      from: 'answer: 600_000',
      to: 'answer: 10_000',
      foundBy: /^mails that did not come once to a server that answers/,
    },
    {
      name: 'the greeting has to come within five seconds',
      file: 'src/mail/smtp.ts',
      from: 'setup: 60_000',
      to: 'setup: 5_000',
      foundBy: /^mails that did not come once to a server that greets/,
    },
  ],
  run: async (lab, size) => {
    const { greeting, answers, window } = SIZES[size];
    const servers = [await startSmtpServer({ greetsAfterMs: greeting * 1000 }), await startSmtpServer()] as const;
    const [greetsLate, answersLate] = servers;
    for (const server of servers) lab.defer(() => server[Symbol.asyncDispose]());
    const waits = [...answers];
    answersLate.answer(async (command) => {
      if (command === '.') await sleep((waits.shift() ?? 0) * 1000);
      return undefined;
    });
    const shared = await prepareGateways(lab, '', { MAIL: 'smtp', MAIL_FROM: 'auth@example.com' });
    const start = async ({ url: SMTP_URL }: SmtpServer, count: number) => {
      const db = await startPostgres(lab, `postgres-${count}`);
      const gateways = shared.with({ DATABASE_URL: db.url, SMTP_URL });
      const { url } = await gateways.start();
      const emails = await createUsers(gateways, db, count);
      return {
        emails,
        forgot: (email = '') =>
          ask(url, '/auth/password/forgot', {
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ email }),
          }),
      };
    };
    const [late, slow] = await Promise.all([
      start(greetsLate, answers.length),
      start(answersLate, answers.length + BEHIND),
    ]);

    const begunMs = performance.now();
    for (const email of late.emails) await late.forgot(email);
    const behind = slow.emails.splice(answers.length);
    for (const email of slow.emails) await slow.forgot(email);
    const isOver = () => performance.now() - begunMs > window * 1000;
    await until('the server takes its time with the first mails', () => isOver() || waits.length === 0);
    for (const email of behind) await slow.forgot(email);
    await sleep(BEHIND_SECONDS * 1000);
    const held = behind.filter((email) => countOf(answersLate, email) === 0);
    lab.say(
      `${behind.length - held.length} of ${behind.length} mails behind slow ones came within ${BEHIND_SECONDS} s`,
    );
    await sleep(Math.max(begunMs + window * 1000 - performance.now(), 0));
    const wrongAt = (server: SmtpServer, emails: string[]) =>
      emails.flatMap((email) => (countOf(server, email) === 1 ? [] : `${countOf(server, email)} times`));
    const [wrongLate, wrongSlow] = [
      wrongAt(greetsLate, late.emails),
      wrongAt(answersLate, [...slow.emails, ...behind]),
    ];
    return [
      {
        what: `mails that did not come once to a server that greets after ${greeting} s`,
        trials: late.emails.length,
        least: answers.length,
        violations: wrongLate.length,
        examples: wrongLate,
      },
      {
        what: `mails that did not come once to a server that answers the text after up to ${Math.max(...answers)} s`,
        trials: slow.emails.length + BEHIND,
        least: answers.length + BEHIND,
        violations: wrongSlow.length,
        examples: wrongSlow,
      },
      {
        what: `mails that waited longer than ${BEHIND_SECONDS} s behind such ones`,
        trials: BEHIND,
        least: BEHIND,
        violations: held.length,
      },
    ];
  },
};

function countOf({ mails }: SmtpServer, email: string): number {
  return mails.filter(({ headers }) => headers.get('to') === email).length;
}
