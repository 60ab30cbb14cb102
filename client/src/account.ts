/** The entry `@auth-gateway/client/account`: what users see and do with what is their own. (Interface 21) */
import { DEVICES, END_OTHER_SESSIONS, END_SESSION, FORGET_DEVICE, SESSIONS } from './documents.js';
import { askGraphql } from './graphql.js';
import { inside, renew, renewIfLost } from './inside.js';
import { isEmpty, isTaken } from './routes.js';
import type { AuthClient } from './types.js';

/** A session that has neither ended nor expired. */
export interface OwnSession {
  id: string;
  /** Of this client */
  isCurrent: boolean;
  /** RFC 3339, like all times */
  startedAt: string;
  /** Login or last refresh */
  lastUsedAt: string;
  /** First 512 characters, or empty. Anybody can send anything here */
  userAgent: string;
  ipAddress: string;
}

/** A browser in which the user has logged in. */
export interface Device {
  id: string;
  createdAt: string;
  /** Last login */
  lastUsedAt: string;
  userAgent: string;
}

/**
 * @returns all live sessions of the user, most recently used first
 * @throws {AuthError} as `me`
 */
export async function sessions(client: AuthClient): Promise<OwnSession[]> {
  const found: OwnSession[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page: Page = await askGraphql(inside(client).askWithToken, SESSIONS, { after });
    found.push(...page.sessions.nodes);
    after = page.sessions.pageInfo.hasNextPage ? page.sessions.pageInfo.endCursor : null;
  }
  return found;
}

interface Page {
  sessions: { nodes: OwnSession[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
}

/**
 * Ends a session of the user, that of this client as by `logout`. Access tokens of another work until they expire.
 * @throws {AuthError} 401 with the reason `confirmation_required`: `confirm` first. `scope_missing` if it
 *   is not one of the user. Otherwise as `me`
 */
export async function endSession(client: AuthClient, id: string): Promise<void> {
  const { askWithToken, session } = inside(client);
  if (id === session.sid) return client.logout();
  await askGraphql(askWithToken, END_SESSION, { id });
}

/**
 * Ends all sessions of the user but this.
 * @returns the number of ended sessions
 * @throws {AuthError} as `endSession`
 */
export async function endOtherSessions(client: AuthClient): Promise<{ sessionsEnded: number }> {
  const ended: { revokedCount: number } = await askGraphql(inside(client).askWithToken, END_OTHER_SESSIONS);
  return { sessionsEnded: ended.revokedCount };
}

/**
 * @returns known devices of the user, most recently used first. They count only if the gateway has `KNOWN_DEVICES=on`
 * @throws {AuthError} as `me`
 */
export async function devices(client: AuthClient): Promise<Device[]> {
  const me: { devices: Device[] } = await askGraphql(inside(client).askWithToken, DEVICES);
  return me.devices;
}

/**
 * Forgets a known device, whose next login is that of a stranger. Sessions stay.
 * @throws {AuthError} as `endSession`
 */
export async function forgetDevice(client: AuthClient, id: string): Promise<void> {
  await askGraphql(inside(client).askWithToken, FORGET_DEVICE, { id });
}

/**
 * Asks the gateway to send a link to the new address, if it is free. Nobody learns whether it is. Nothing has changed yet.
 * @throws {AuthError} 401 with the reason `confirmation_required`: `confirm` first. 422 with `errors`. 404 if the gateway sends
 *   no mail or has `ACCOUNT=off`. Otherwise as `me`
 */
export async function changeEmail(client: AuthClient, { email }: { email: string }): Promise<void> {
  await inside(client).askWithToken('email', isTaken, { email });
}

/**
 * Changes the e-mail to the address that the link was sent to. Sessions stay.
 * @param link `token` follows `#email=` in the link, and is good once, for the user who asked for it
 * @returns the new e-mail
 * @throws {AuthError} 401 with the reason `link_invalid`, 409 `email_taken`. Otherwise as `me`
 */
export async function redeemEmail(client: AuthClient, { token }: { token: string }): Promise<{ email: string }> {
  return inside(client).askWithToken('email/redeem', changedOf, { token });
}

/**
 * Gives the user the former e-mail back, and ends every session and the password. Nobody has to be logged in.
 * @param link `token` follows `#undo=` in the link, and is good once, for 72 hours
 * @throws {AuthError} 401 with the reason `link_invalid`, 409 `email_taken`, 429, 5xx, or 0 if no answer came in 10 s
 */
export async function undoEmail(client: AuthClient, { token }: { token: string }): Promise<void> {
  await inside(client).ask('email/undo', isEmpty, { token }).catch(renewIfLost(client));
  renew(client); // the session of this client may be one of those that ended
}

/**
 * Reads all that is stored about the user, within 5 minutes.
 * @returns a JSON document
 * @throws {AuthError} 401 with the reason `confirmation_required`: `confirm` first. 404 if the gateway has `ACCOUNT=off`.
 *   Otherwise as `me`
 */
export async function exportData(client: AuthClient): Promise<Blob> {
  const accept = ({ exported_at: at }: { exported_at?: string }, _: unknown, text: string) =>
    at && new Blob([text], { type: 'application/json' });
  return inside(client).askWithToken('account/export', accept, null, {}, 'GET') as Promise<Blob>;
}

/**
 * Deletes the user who is logged in. Afterwards the status is `signed-out` in all tabs.
 * @throws {AuthError} 401 with the reason `confirmation_required`: `confirm` first. 409 `last_administrator`. 404 if the
 *   gateway has `ACCOUNT=off`. Otherwise as `me`; after an answer that was lost, the user may be deleted,
 *   and the status is then soon `signed-out`
 */
export async function deleteAccount(client: AuthClient): Promise<void> {
  const { ask, ended, session, takeTurn } = inside(client);
  const { sid } = session;
  renew(client); // in its turn it cannot
  const token = await client.getAccessToken();
  // The answer deletes the cookie, so it must not come after that of a login.
  const erase = async (): Promise<void> => {
    session.look();
    const isSame = token && session.sid === sid; // nobody else is deleted, who has logged in meanwhile
    await ask('account', isEmpty, null, isSame ? { authorization: `Bearer ${token}` } : {}, 'DELETE');
    ended();
  };
  await takeTurn(erase).catch(renewIfLost(client));
}

const changedOf = ({ email }: { email: string }) => (email ? { email } : undefined);
