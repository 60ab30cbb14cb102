/** The time of a refusal does not reveal whether the entry of a device was valid. (Interface 16) */
import type { Experiment } from '../experiment.js';
import { login } from '../lab/browser.js';
import { prepareGateways } from '../lab/gateways.js';
import { openOneConnection } from '../lab/one-connection.js';
import { startPostgres } from '../lab/postgres.js';
import { judge, measure, wrongPassword } from '../lab/told-apart.js';
import { createUsers, PASSWORD } from '../lab/users.js';

const TRIPLES = { small: 28, full: 2_500 };

export const timingDevices: Experiment = {
  name: 'timing-devices',
  isAlone: true,
  mutants: [
    {
      name: 'a password is checked twice on a known device',
      file: 'src/auth/login.ts',
      from: 'const verdict = await passwords.verify(user?.password_hash ?? placeholderHash, password, slot);',
      to: `if (user?.device !== undefined) await passwords.verify(user.password_hash ?? placeholderHash, password, slot);
  const verdict = await passwords.verify(user?.password_hash ?? placeholderHash, password, slot);`,
      foundBy: /^logins with a good entry and with none told apart/,
    },
  ],
  run: async (lab, size) => {
    const db = await startPostgres(lab);
    const gateways = await prepareGateways(lab, db.url, { KNOWN_DEVICES: 'on' });
    const { url } = await gateways.start();
    const [email = ''] = await createUsers(gateways, db, 1);
    const { device: entry = '' } = await login(url, email, PASSWORD);
    const ofDevice = { cookie: `device=${entry}` };
    const ofForger = { cookie: `device=${forged(entry)}` };
    // As many bytes as with an entry, since a longer request takes longer on any server. Who sends it knows its length.
    const ofStranger = { cookie: `custom=${entry}` };

    const connection = openOneConnection(url);
    lab.defer(connection.close);
    lab.say(`${TRIPLES[size]} refused logins of each of three kinds`);
    const {
      good = [],
      bad = [],
      none = [],
    } = await measure(connection, TRIPLES[size], {
      good: () => wrongPassword(email, ofDevice),
      bad: () => wrongPassword(email, ofForger),
      none: () => wrongPassword(email, ofStranger),
    });
    // If the good entry was none, every pair is alike and nothing has been compared.
    const [counts] = await db.query<{ device: number; account: number }>(
      `select devices.failed_login_attempts as device, users.failed_login_attempts as account
       from known_devices as devices join users on users.id = user_id`,
    );
    const byDevice = counts?.device ?? 0;
    const byAccount = counts?.account ?? 0;
    return [
      {
        what: 'failures counted neither by the device of a good entry nor, without one, by the account',
        trials: byDevice + byAccount,
        least: 3 * TRIPLES[size],
        violations: byAccount === 2 * byDevice && byDevice >= good.length ? 0 : 1,
      },
      judge('logins with a good entry and with none', good, none, TRIPLES[size]),
      judge('logins with a forged entry and with none', bad, none, TRIPLES[size]),
    ];
  },
};

/** The same claims with another MAC: its first character, whose six bits all count. */
function forged(entry: string): string {
  const mac = entry.lastIndexOf('.') + 1;
  return `${entry.slice(0, mac)}${entry[mac] === 'A' ? 'B' : 'A'}${entry.slice(mac + 1)}`;
}
