/** The time of an answer about a forgotten password does not reveal whether its e-mail is known. (Interface 15) */
import { startSmtpServer } from '../../../test/mail/smtp-server.js';
import { until } from '../../../test/support/until.js';
import type { Experiment } from '../experiment.js';
import { prepareGateways } from '../lab/gateways.js';
import { openOneConnection, type Timed } from '../lab/one-connection.js';
import { startPostgres } from '../lab/postgres.js';
import { judge, measure } from '../lab/told-apart.js';
import { createUsers } from '../lab/users.js';

const PAIRS = { small: 1_000, full: 5_000 };
/** Each e-mail is asked for once, so many more than pairs for what comes before the first pair. */
const SPARE = 100;
/** Replaced by `usex`, which no user has: an unknown e-mail of the same length. */
const KNOWN = /^user/;

export const timingForgot: Experiment = {
  name: 'timing-forgot',
  isAlone: true,
  mutants: [
    {
      name: 'nothing is written for an unknown e-mail',
      file: 'src/auth/forgot-password.ts',
      from: '  await db.run(requestResetSql, {',
      to: `  const found = await db.run(knownSql, { email });
  if (found.length > 0) await db.run(requestResetSql, {`,
      foundBy: /^requests for known and unknown e-mails told apart/,
      and: {
        file: 'src/auth/forgot-password.ts',
        from: '/** The row of an unknown',
        to: `const knownSql = statement('known_email', { email: 'text' }, { id: 'uuid' })\`select id from users where email = :email and is_active\`;
/** The row of an unknown`,
      },
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const mail = await startSmtpServer();
    lab.defer(() => mail[Symbol.asyncDispose]());
    const gateways = await prepareGateways(lab, db.url, {
      MAIL: 'smtp',
      SMTP_URL: mail.url,
      MAIL_FROM: 'auth@example.com',
    });
    const { url } = await gateways.start();
    const pairs = PAIRS[size];
    const emails = await createUsers(gateways, db, 2 * (pairs + SPARE));
    const [active, inactive] = [emails.slice(pairs + SPARE), emails.slice(0, pairs + SPARE)];
    await db.query('update users set is_active = false where email = any($1)', [inactive]);
    const unknown = active.map((email) => email.replace(KNOWN, 'usex'));
    const [often = '', oftenUnknown = ''] = [active.pop(), unknown.pop()];

    const connection = openOneConnection(url);
    lab.defer(connection.close);
    lab.say(`${pairs} requests for a link of each of three kinds`);
    const ms = await measure(connection, pairs, {
      known: () => forgot(active.pop()),
      unknown: () => forgot(unknown.pop()),
      inactive: () => forgot(inactive.pop()),
    });
    lab.say(`${pairs} requests beyond the limit of each of two kinds`);
    const beyond = await measure(connection, pairs, {
      known: () => forgot(often),
      unknown: () => forgot(oftenUnknown),
    });
    const { known = [], unknown: ofUnknown = [], inactive: ofInactive = [] } = ms;
    const { known: beyondKnown = [], unknown: beyondUnknown = [] } = beyond;
    await until('the known ones have their mail', () => mail.mails.length >= known.length);
    return [
      judge('requests for known and unknown e-mails', known, ofUnknown, pairs),
      judge('requests for inactive and unknown e-mails', ofInactive, ofUnknown, pairs),
      judge('requests beyond the limit for known and unknown e-mails', beyondKnown, beyondUnknown, pairs),
    ];
  },
};

function forgot(email = ''): Timed {
  const body = Buffer.from(JSON.stringify({ email }));
  return { path: '/auth/password/forgot', headers: { 'content-type': 'application/json' }, body, status: 202 };
}
