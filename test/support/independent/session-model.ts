/** A small model of tokens and accounts, which runs next to the gateway. It shares no code with `src`. (Spec 3.1 and 3.2) */

export const MAX_FAILURES = 3;
export const LOCK_SECONDS = 60;
export const REFRESH_SECONDS = 600;

export interface ModelUser {
  id: string;
  email: string;
  failures: number;
  lockedUntil: number | null;
  lastLogin: number | null;
}

export interface ModelToken {
  /** The refresh JWT; undefined if its answer was lost in a crash. */
  jwt: string | undefined;
  jti: string;
  user: string;
  family: string;
  revoked: boolean;
  /** Milliseconds since the epoch, as every time here */
  expiresAt: number;
}

export interface Model {
  users: ModelUser[];
  tokens: ModelToken[];
  /** `event_type user_id`, in no order */
  events: string[];
}

/** What a request is to be answered; a new token is made only by the gateway, so the model says whose it is. */
export interface Expected {
  status: number;
  detail?: string;
  cookie: 'unchanged' | 'cleared' | 'set';
  issued?: { user: string; family: string | undefined; expiresAt: number };
}

/** Spec 4.1 for a known user. */
export function login(model: Model, user: ModelUser, isRight: boolean, now: number): Expected {
  if (user.lockedUntil !== null && user.lockedUntil > now) {
    model.events.push(`account_locked ${user.id}`);
    const detail = 'Account temporarily locked due to too many failed attempts';
    return { status: 429, detail, cookie: 'unchanged' };
  }
  if (!isRight) {
    user.failures += 1;
    if (user.failures >= MAX_FAILURES) user.lockedUntil = now + LOCK_SECONDS * 1000;
    model.events.push(`login_failure ${user.id}`);
    return { status: 401, detail: 'Invalid credentials', cookie: 'unchanged' };
  }
  Object.assign(user, { failures: 0, lockedUntil: null, lastLogin: now });
  model.events.push(`login_success ${user.id}`);
  const issued = { user: user.id, family: undefined, expiresAt: now + REFRESH_SECONDS * 1000 };
  return { status: 200, cookie: 'set', issued };
}

/** Spec 4.2 for a token that the gateway has issued. */
export function refresh(model: Model, token: ModelToken, now: number): Expected {
  if (token.expiresAt <= now) {
    return { status: 401, detail: 'Invalid or expired refresh token', cookie: 'cleared' };
  }
  if (token.revoked) {
    for (const sibling of model.tokens) if (sibling.family === token.family) sibling.revoked = true;
    model.events.push(`token_theft ${token.user}`);
    return { status: 401, detail: 'Session invalidated — please log in again', cookie: 'cleared' };
  }
  token.revoked = true;
  const issued = { user: token.user, family: token.family, expiresAt: now + REFRESH_SECONDS * 1000 };
  return { status: 200, cookie: 'set', issued };
}

/** Spec 4.3 for a token that the gateway has issued. */
export function logout(model: Model, token: ModelToken, now: number): Expected {
  if (token.expiresAt > now) {
    token.revoked = true;
    model.events.push(`logout ${token.user}`);
  }
  return { status: 200, cookie: 'cleared' };
}
