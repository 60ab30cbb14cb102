import { codeAt } from '../support/gateway/factors.js';
import {
  type Answer,
  claimsOf,
  type Instance,
  PASSWORD,
  refreshTokenOf,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { SoftwareAuthenticator } from '../support/independent/passkeys/software-authenticator.js';
export const MOST = 4;
const LOCK_MS = 900_000;
const FRESH_MS = 300_000;
export const HALF_LOGIN_MS = 300_000;
export const NEW_APP_MS = 600_000;
export const STEP_MS = 30_000;

export let gateway: TestGateway;
let turn = 0;

export async function start(): Promise<void> {
  gateway = await startGateway({
    instances: 2,
    env: { LOGIN_MAX_FAILURES: String(MOST), ACCESS_TOKEN_TTL_SECONDS: '604800' },
  });
}

export const stop = (): Promise<void> => gateway.close();

/** Each request goes to the other instance. */
export function on(): Instance {
  turn += 1;
  return gateway.instances[turn % 2] ?? gateway;
}

export const now = (): number => gateway.clock.now().getTime();

interface Session {
  accessToken: string;
  refreshToken: string;
  isLive: boolean;
  methods: string[];
  provedAt: number;
}

export interface HalfLogin {
  challenge: string;
  /** 0 once it has ended */
  endsAt: number;
}

interface App {
  id: string;
  secret: string;
}

interface Passkey {
  id: string;
  authenticator: SoftwareAuthenticator;
}

export interface Model {
  id: string;
  email: string;
  password: string;
  isActive: boolean;
  failures: number;
  lockedUntil: number;
  app: (App & { lastStep: number }) | undefined;
  newApp: (App & { session: Session; endsAt: number }) | undefined;
  passkeys: Passkey[];
  recoveryCodes: string[];
  sessions: Session[];
  halfLogins: HalfLogin[];
  /** What has ended, and is tried again */
  gone: { apps: string[]; passkeys: Passkey[]; recoveryCodes: string[] };
}

export async function newModel(): Promise<Model> {
  const { id, email } = await gateway.user();
  return {
    ...{ id, email, password: PASSWORD, isActive: true, failures: 0, lockedUntil: 0 },
    ...{ app: undefined, newApp: undefined, passkeys: [], recoveryCodes: [], sessions: [], halfLogins: [] },
    gone: { apps: [], passkeys: [], recoveryCodes: [] },
  };
}

export type Expected = string;
export const came = ({ status, json }: Answer): Expected =>
  status < 300 ? String(status) : `${status} ${json.reason}`;

export const hasFactors = ({ app, passkeys }: Model): boolean => app !== undefined || passkeys.length > 0;
export const isLocked = ({ lockedUntil }: Model): boolean => lockedUntil > now();
export const isAlive = ({ isActive }: Model, { endsAt }: HalfLogin): boolean => isActive && endsAt > now();

export const WRONG_LOGIN = '401 invalid_credentials';
export const NO_CHALLENGE = '401 challenge_invalid';
export const LOCKED = '429 account_locked';
const NO_SESSION = '401 invalid_token';
const STALE = '401 confirmation_required';
export const WRONG_FACTOR = '403 factor_wrong';

export function fail(model: Model, answer: Expected): Expected {
  model.failures += 1;
  if (model.failures >= MOST) model.lockedUntil = now() + LOCK_MS;
  return answer;
}

export function enter(model: Model, answer: Answer, methods: string[]): Expected {
  model.failures = 0;
  model.lockedUntil = 0;
  const { access_token: accessToken } = answer.json;
  const refreshToken = refreshTokenOf(answer) ?? '';
  model.sessions.push({ accessToken, refreshToken, isLive: true, methods, provedAt: now() });
  expectClaims(model.sessions.at(-1));
  return '200';
}

/** In the order of RFC 8176's claim as the interface has it. */
export function joined(...methods: string[]): string[] {
  return ['pwd', 'otp', 'hwk', 'swk', 'user', 'mfa'].filter((method) => methods.includes(method));
}

export function expectClaims(session: Session | undefined): void {
  const { acr, amr, auth_time } = claimsOf(session?.accessToken ?? '');
  expect({ acr, amr, auth_time }).toEqual({
    acr: session?.methods.includes('mfa') ? 'aal2' : 'aal1',
    amr: session?.methods,
    auth_time: (session?.provedAt ?? 0) / 1000,
  });
}

export function endSessions({ sessions }: Model, except?: Session): void {
  for (const session of sessions) if (session !== except) session.isLive = false;
}

export function endHalfLogins(model: Model): void {
  for (const half of model.halfLogins) half.endsAt = 0;
  model.newApp = undefined;
}

export function endFactors(model: Model): void {
  if (model.app !== undefined) model.gone.apps.push(model.app.id);
  model.gone.passkeys.push(...model.passkeys);
  model.gone.recoveryCodes.push(...model.recoveryCodes);
  model.app = undefined;
  model.passkeys = [];
  model.recoveryCodes = [];
  endHalfLogins(model);
}

/** A step of this authenticator app, which is right once. */
export function takeStep(model: Model, ago: number): { code: string; isRight: boolean } {
  const step = Math.floor(now() / STEP_MS) - ago;
  const code = codeAt(model.app?.secret ?? 'A'.repeat(32), new Date(step * STEP_MS));
  const isRight = model.app !== undefined && ago < 2 && step > model.app.lastStep;
  if (isRight && model.app !== undefined) model.app.lastStep = step;
  return { code, isRight };
}

/** @param pick 0 is the newest */
export const pickOf = <Item>(items: readonly Item[], pick: number): Item | undefined =>
  items.length === 0 ? undefined : items[items.length - 1 - (pick % items.length)];

export const halfLoginOf = ({ halfLogins }: Model, pick: number): HalfLogin =>
  pickOf(halfLogins, pick) ?? { challenge: 'unknown', endsAt: 0 };

/** The outcome for a session and its user. @param isFresh whether the route wants a fresh proof */
export function ofSession(model: Model, session: Session | undefined, isFresh: boolean): Expected | undefined {
  if (session === undefined || !session.isLive || !model.isActive) return NO_SESSION;
  if (!isFresh) return undefined;
  const isRecent = session.provedAt + FRESH_MS > now();
  const isByFactor = session.methods.includes('mfa');
  return isRecent && (isByFactor || !hasFactors(model)) ? undefined : STALE;
}

export const tokenOf = (session: Session | undefined): string => session?.accessToken ?? 'unknown';

export function prove(session: Session, answer: Answer | undefined, methods: string[]): Expected {
  session.methods = methods;
  session.provedAt = now();
  if (answer !== undefined) {
    session.accessToken = answer.json.access_token;
    expectClaims(session);
  }
  return '200';
}

export function giveCodes(model: Model, wasWithout: boolean, codes: string[]): void {
  expect(codes).toHaveLength(wasWithout ? 10 : 0);
  if (wasWithout) model.recoveryCodes = codes;
}

export function setNewPassword(model: Model, byOwner: boolean): void {
  endHalfLogins(model);
  if (!byOwner || hasFactors(model)) return;
  model.failures = 0;
  model.lockedUntil = 0;
}

interface Stored {
  failed_login_attempts: number;
  locked_until: Date | null;
  is_active: boolean;
  has_factors: boolean;
  factors: string[];
  recovery_codes: number;
  half_logins: number;
  sessions: number;
}

/** What the tables say, as requests would see it. */
export async function stored(id: string): Promise<Stored | undefined> {
  const [row] = await gateway.rows<Stored>(
    `select failed_login_attempts, locked_until, is_active, has_factors,
       array(select factors.id::text from factors where user_id = users.id order by 1) as factors,
       (select count(*)::int from recovery_codes where user_id = users.id) as recovery_codes,
       (select count(*)::int from ceremonies where user_id = users.id and purpose = 'half_login' and expires_at > $2
         and ceremonies.password_version = users.password_version and is_active) as half_logins,
       (select count(*)::int from refresh_tokens where user_id = users.id and not revoked) as sessions
     from users where id = $1`,
    [id, new Date(now())],
  );
  return row;
}

export function expectedOf(model: Model): Stored {
  const factors = [...(model.app === undefined ? [] : [model.app.id]), ...model.passkeys.map(({ id }) => id)];
  return {
    failed_login_attempts: model.failures,
    locked_until: model.lockedUntil === 0 ? null : new Date(model.lockedUntil),
    is_active: model.isActive,
    has_factors: hasFactors(model),
    factors: factors.sort(),
    recovery_codes: model.recoveryCodes.length,
    half_logins: model.halfLogins.filter((half) => isAlive(model, half)).length,
    sessions: model.sessions.filter(({ isLive }) => isLive).length,
  };
}
