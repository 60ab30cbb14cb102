/** Paths of the views, in the address bar. */

export const OVERVIEW = '/console/';
export const USERS = '/console/users';
export const AUDIT_LOG = '/console/audit';
export const SESSIONS = '/console/all-sessions';
export const KEYS = '/console/keys';
export const WEBHOOKS = '/console/webhooks';
export const GATEWAY = '/console/gateway';
export const MY_SESSIONS = '/console/sessions';

/** The path of the page of a user. */
export function pathOfUser(id: string): string {
  return `${USERS}/${id}`;
}
