/** A hundred receivers at one host that never answer hold up neither mail nor a webhook at another host. (Interface 17) */
import { setTimeout as sleep } from 'node:timers/promises';
import { startSmtpServer } from '../../../test/mail/smtp-server.js';
import type { Experiment, Row } from '../experiment.js';
import { ask } from '../lab/browser.js';
import { prepareGateways } from '../lab/gateways.js';
import { startPostgres } from '../lab/postgres.js';
import { createUsers } from '../lab/users.js';
import { creatorOfWebhooks, failLogin, startReceiver } from '../lab/webhooks.js';

/** With the honest one as many as a gateway has at most */
const SILENT = 99;
const ROUNDS = { small: 6, full: 60 };
/** Milliseconds */
const LATE_MS = 3_000;
const GIVE_UP_MS = 15_000;
const BETWEEN_MS = 1_000;

export const silentReceivers: Experiment = {
  name: 'silent-receivers',
  isAlone: true,
  mutants: [
    {
      name: 'one host may take every turn',
      file: 'src/outbox/outbox.ts',
      from: 'const MAX_TURNS_OF_HOST = 2;',
      to: 'const MAX_TURNS_OF_HOST = 200;',
      foundBy: /^events at an honest webhook/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const mail = await startSmtpServer();
    lab.defer(() => mail[Symbol.asyncDispose]());
    const [silent, honest] = [
      await startReceiver(lab, Number.POSITIVE_INFINITY, 204),
      await startReceiver(lab, 0, 204),
    ];
    const gateways = await prepareGateways(lab, db.url, {
      WEBHOOK_HOSTS: `${silent.authority},${honest.authority}`,
      MAIL: 'smtp',
      SMTP_URL: mail.url,
      MAIL_FROM: 'auth@example.com',
    });
    const { url } = await gateways.start();
    const rounds = ROUNDS[size];
    const emails = await createUsers(gateways, db, rounds);
    const targets = Array.from({ length: SILENT }, (_, i) => `http://${silent.authority}/${i}`);
    await (await creatorOfWebhooks(gateways, url))([...targets, `http://${honest.authority}/`]);

    lab.say('every silent one has something to wait for');
    for (let i = 0; i < 3; i += 1) await failLogin(url);
    await sleep(BETWEEN_MS);
    const ofMail: Row = {
      what: `mails later than ${LATE_MS} ms, next to ${SILENT} silent receivers at one host`,
      trials: rounds,
      least: rounds,
      violations: 0,
    };
    const ofHonest: Row = { ...ofMail, what: `events at an honest webhook later than ${LATE_MS} ms, next to them` };
    let [slowestMail, slowestEvent] = [0, 0];
    const headers = { 'content-type': 'application/json' };
    for (const email of emails) {
      const [mails, offers] = [mail.mails.length, honest.offers.length];
      await Promise.all([
        ask(url, '/auth/password/forgot', { headers, body: JSON.stringify({ email }) }),
        failLogin(url),
      ]);
      const [mailMs, eventMs] = await Promise.all([
        waitedFor(() => mail.mails.length > mails),
        waitedFor(() => honest.offers.length > offers),
      ]);
      slowestMail = Math.max(slowestMail, mailMs);
      slowestEvent = Math.max(slowestEvent, eventMs);
      if (mailMs > LATE_MS) ofMail.violations += 1;
      if (eventMs > LATE_MS) ofHonest.violations += 1;
      await sleep(BETWEEN_MS);
    }
    return [
      { ...ofMail, figures: { slowest_ms: slowestMail, asked_silent_ones: silent.offers.length } },
      { ...ofHonest, figures: { slowest_ms: slowestEvent } },
    ];
  },
};

/** @returns milliseconds, at most `GIVE_UP_MS` */
async function waitedFor(isSo: () => boolean): Promise<number> {
  const startedMs = performance.now();
  while (!isSo() && performance.now() - startedMs < GIVE_UP_MS) await sleep(10);
  return performance.now() - startedMs;
}
