/** Of two simultaneous redemptions of one link, at different instances, one sets the password. (Interface 15) */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment, Row } from '../experiment.js';
import { type Answer, login } from '../lab/browser.js';
import { prepareGateways } from '../lab/gateways.js';
import { inLanes } from '../lab/lanes.js';
import { mintLinks, redeem } from '../lab/passwords.js';
import { startPostgres } from '../lab/postgres.js';
import { createUsers } from '../lab/users.js';

const LINKS = { small: 42, full: 2_000 };
/** Links. Twice as many passwords are hashed at once, which must not be more than the queue accepts. */
const AT_ONCE = 6;
/** How often, and after which pause, a request is sent again that an overloaded machine has refused */
const RETRIES = 50;
const PAUSE_MS = 200;

export const linkRaces: Experiment = {
  name: 'link-races',
  isAlone: true,
  mutants: [
    {
      name: 'a link that has set a password is still there',
      file: 'src/auth/new-password.ts',
      from: `delete from password_links using locked
    where user_id = locked.id and token_sha256 = :token_sha256 and expires_at > :now
    returning user_id, purpose`,
      to: `select user_id, purpose from password_links join locked on user_id = locked.id
    where token_sha256 = :token_sha256 and expires_at > :now`,
      foundBy: /^users with a live link/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url);
    const instances = await Promise.all([gateways.start(), gateways.start(), gateways.start()]);
    const urlOf = (index: number): string => instances[index % 3]?.url ?? '';
    const trials = LINKS[size];
    const emails = await createUsers(gateways, db, trials);
    // A session of each user, which the redemption ends.
    await db.query(
      `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, expires_at)
       select gen_random_uuid(), id, gen_random_uuid(), '', '127.0.0.1', now() + interval '1 day' from users`,
    );

    const winners: Row = {
      what: 'links redeemed twice, or not at all',
      trials,
      least: trials,
      violations: 0,
      examples: [],
    };
    const logins: Row = {
      what: "logins by the winner's password refused, or by the loser's accepted",
      trials: 2 * trials,
      least: 2 * trials,
      violations: 0,
      examples: [],
    };
    let retries = 0;
    /** The status. A 503 has changed nothing, so the request is sent again. */
    const statusOf = async (request: () => Promise<Answer>): Promise<number> => {
      for (let left = RETRIES; ; left -= 1) {
        const { status } = await request();
        if (status !== 503 || left === 0) return status;
        retries += 1;
        await sleep(PAUSE_MS);
      }
    };
    const links = await mintLinks(db, emails);
    lab.say(`${trials} links, each redeemed twice`);
    await inLanes(links.entries(), AT_ONCE, async ([index, { email, token }]) => {
      const passwords = [randomUUID(), randomUUID()];
      const statuses = await Promise.all(
        passwords.map((chosen, i) => statusOf(() => redeem(urlOf(index + i), token, chosen))),
      );
      if (statuses.toSorted().join() !== '204,401') {
        winners.violations += 1;
        winners.examples?.push(statuses.join());
      }
      for (const [i, chosen] of passwords.entries()) {
        const status = await statusOf(() => login(urlOf(index + 2), email, chosen));
        if (status === (statuses[i] === 204 ? 200 : 401)) continue;
        logins.violations += 1;
        logins.examples?.push(`${statuses[i]}, then ${status}`);
      }
    });

    // The only live session is that of the login by the winner's password.
    const [{ wrong } = { wrong: trials }] = await db.query<{ wrong: number }>(
      `select count(*)::integer as wrong from users
       where password_version <> 1 or not password_chosen_by_user
         or exists (select from password_links where user_id = users.id)
         or 1 <> (select count(*) from audit_events where user_id = users.id and event_type = 'user_password_set')
         or 1 <> (select count(*) from refresh_tokens where user_id = users.id and not revoked)`,
    );
    return [
      { ...winners, figures: { asked_again_after_503: retries } },
      logins,
      {
        what: 'users with a live link, an older session, or other than one event',
        trials,
        least: trials,
        violations: wrong,
      },
    ];
  },
};
