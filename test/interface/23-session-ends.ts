/** Every way in which the session of a user ends, or its user. (Interface 23) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { resetFactors } from '../../src/admin/factors.js';
import { revokeOtherSessions, revokeSession } from '../../src/admin/sessions.js';
import { deleteUser, setUserActive, setUserPassword } from '../../src/admin/user-changes.js';
import { changeEmail, deleteAccount, undoEmail } from '../support/gateway/account.js';
import { addTotp } from '../support/gateway/factors.js';
import { claimsOf, type TestGateway } from '../support/gateway/gateway.js';
import { type SignedIn, signIn } from '../support/gateway/graphql.js';
import { ANOTHER, CHOSEN, changePassword, issueLink, redeem } from '../support/gateway/passwords.js';
import { logout, refresh } from '../support/gateway/routes.js';

type End = (gateway: TestGateway, session: SignedIn) => Promise<unknown>;

const sessionOf = ({ accessToken }: SignedIn) => String(claimsOf(accessToken)['sid']);

export const SESSION_ENDS: Array<[by: string, end: End]> = [
  ['a logout', (gateway, { refreshToken }) => logout(gateway, refreshToken)],
  [
    'a theft',
    async (gateway, { refreshToken }) => {
      await refresh(gateway, refreshToken);
      await refresh(gateway, refreshToken);
    },
  ],
  ['revokeSession', (gateway, session) => revokeSession(gateway.app, COMMAND_LINE, undefined, sessionOf(session))],
  ['revokeOtherSessions', ({ app }, { user }) => revokeOtherSessions(app, COMMAND_LINE, user.id, undefined)],
  ['a deactivation', ({ app }, { user }) => setUserActive(app, COMMAND_LINE, user.id, false)],
  ['a deletion by operators', ({ app }, { user }) => deleteUser(app, COMMAND_LINE, user.id)],
  ['a deletion by the user', (gateway, { accessToken }) => deleteAccount(gateway, accessToken)],
  ['a password that operators set', ({ app }, { user }) => setUserPassword(app, COMMAND_LINE, user.id, CHOSEN)],
  [
    'a password that the user changes elsewhere',
    async (gateway, { user }) => changePassword(gateway, (await signIn(gateway, user)).accessToken, ANOTHER),
  ],
  ['a password by a link', async (gateway, { user }) => redeem(gateway, await issueLink(gateway, user.id))],
  [
    'a reset of the factors',
    async (gateway, session) => {
      await addTotp(gateway, session);
      await resetFactors(gateway.app, COMMAND_LINE, session.user.id);
    },
  ],
  [
    'a change of the e-mail that is taken back',
    async (gateway, session) => undoEmail(gateway, (await changeEmail(gateway, session)).wayBack),
  ],
  [
    'the expiry of its refresh token',
    async ({ rows, clock }, { user }) =>
      rows('update refresh_tokens set expires_at = $2 where user_id = $1', [
        user.id,
        new Date(clock.now().getTime() - 1),
      ]),
  ],
];
