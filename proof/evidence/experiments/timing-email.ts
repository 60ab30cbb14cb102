/** The time of an answer about a new e-mail does not reveal whether the address is taken. (Interface 21) */
import { startSmtpServer } from '../../../test/mail/smtp-server.js';
import { until } from '../../../test/support/until.js';
import type { Experiment } from '../experiment.js';
import { ACCOUNT_ENV, type Owner, openAccounts, requestTo } from '../lab/accounts.js';
import { prepareGateways } from '../lab/gateways.js';
import { inLanes, upTo } from '../lab/lanes.js';
import { openOneConnection, type Timed } from '../lab/one-connection.js';
import { startPostgres } from '../lab/postgres.js';
import { judge, measure } from '../lab/told-apart.js';
import { addUsers } from '../lab/users.js';

const TRIPLES = { small: 600, full: 2_500 };
/** Each user asks once, so that no mail is held back: more than triples, for what comes before the first one */
const SPARE = 100;
const LANES = 4;

export const timingEmail: Experiment = {
  name: 'timing-email',
  isAlone: true,
  mutants: [
    {
      name: 'a taken address is answered at once',
      file: 'src/auth/email/change.ts',
      from: "  const token = generateEmailToken('change');",
      to: `  if ((await takenEmails(deps.db, [email], deps.clock.now())).length > 0) return { kind: 'requested' };
  const token = generateEmailToken('change');`,
      foundBy: /^taken and free addresses told apart/,
      and: {
        file: 'src/auth/email/change.ts',
        from: '  beginEmailChange,',
        to: '  beginEmailChange,\n  takenEmails,',
      },
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const mail = await startSmtpServer();
    lab.defer(() => mail[Symbol.asyncDispose]());
    const gateways = await prepareGateways(lab, db.url, { ...ACCOUNT_ENV, SMTP_URL: mail.url });
    const { url } = await gateways.start();
    const accounts = await openAccounts(gateways, db, url);
    const triples = TRIPLES[size];
    const count = triples + SPARE;
    lab.say(`${3 * count} users who want an address`);
    const owners: Owner[] = [];
    await inLanes(upTo(3 * count), LANES, async () => void owners.push(await accounts.add()));
    // Of one length: the number of a free address is in no other.
    const taken = await addUsers(db, 'taken', count);
    const free = taken.map((email) => email.replace('taken', 'freed'));
    const reserved = taken.map((email) => email.replace('taken', 'saved'));
    await db.query(
      `insert into email_undos (id, user_id, token_sha256, email, expires_at)
       select gen_random_uuid(), $2, sha256(email::bytea), email, now() + interval '72 hours' from unnest($1::text[]) as email`,
      [reserved, owners[0]?.id],
    );
    // Who asks for the reserved ones never had them.
    const asking = owners.slice(1);
    await db.query('update refresh_tokens set session_started_at = now()');

    const ask = (emails: string[]): Timed => requestTo(asking.pop(), emails.pop() ?? '');
    const connection = openOneConnection(url);
    lab.defer(connection.close);
    lab.say(`${triples} requests for an address of each of three kinds`);
    const ms = await measure(connection, triples, {
      taken: () => ask(taken),
      free: () => ask(free),
      reserved: () => ask(reserved),
    });
    const { taken: ofTaken = [], free: ofFree = [], reserved: ofReserved = [] } = ms;
    await until('the free ones have their mail', () => mail.mails.length >= triples);
    return [
      {
        what: 'mails to addresses that are not free',
        trials: mail.mails.length,
        least: triples,
        violations: mail.mails.filter(({ headers }) => !headers.get('to')?.startsWith('freed')).length,
      },
      judge('taken and free addresses', ofTaken, ofFree, triples),
      judge('reserved and free addresses', ofReserved, ofFree, triples),
      judge('taken and reserved addresses', ofTaken, ofReserved, triples),
    ];
  },
};
