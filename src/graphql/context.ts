/** What every resolver receives: the caller and the services of the gateway. */
import DataLoader from 'dataloader';
import type { GraphQLError } from 'graphql';
import { type Device, listDevices } from '../admin/devices.js';
import { pendingEmails } from '../admin/email-changes.js';
import { countRecoveryCodes, type ListedFactor, listFactors } from '../admin/factors.js';
import { listSessions, type Session, type SessionPageRequest } from '../admin/sessions.js';
import { type ListedUser, usersByEmail, usersById } from '../admin/users.js';
import { sessionsOfEvents } from '../audit/lookups.js';
import type { CallerDeps, Resolution } from '../callers/caller.js';
import type { GraphqlRequest } from '../callers/graphql-over-http.js';
import { resolveCaller } from '../callers/resolve-caller.js';
import type { Page } from '../listing/page.js';
import type { Deps } from '../services.js';
import type { Concurrency, Waiting } from './concurrency.js';
import { errorOf, outagesAs503, status } from './errors.js';
import type { TrustedDocuments } from './trusted-documents.js';
import type { GatewayChecksType } from './types/gateway.js';

export interface GraphqlDependencies
  extends CallerDeps,
    Deps<'fullDisk' | 'log' | 'passwords' | 'passwordRules' | 'sampling'> {
  /** When this instance was started */
  startedAt: Date;
  /** What `doctor` finds in this instance. Undefined while the first run takes too long to wait for */
  latestChecks(): Promise<GatewayChecksType | undefined>;
  documents: TrustedDocuments;
}

export interface GraphqlContext extends Waiting, Pick<GraphqlRequest, 'origin' | 'ids'> {
  deps: GraphqlDependencies;
  /** The body to run: as it was sent, but for a trusted document, whose text it has */
  body: unknown;
  /** A page of a user's sessions, read for all users of one page at once */
  sessionsOf(page: SessionPageRequest, userId: string): Promise<Page<Session>>;
  /** The known devices of a user, read for all users of one page at once */
  devicesOf(userId: string): Promise<Device[]>;
  /** The second factors of a user, read for all users of one page at once */
  factorsOf(userId: string): Promise<ListedFactor[]>;
  /** The number of recovery codes of a user, read for all users of one page at once */
  recoveryCodesOf(userId: string): Promise<number>;
  /** The e-mail that a user has asked for, read for all users of one page at once; null if there is none */
  pendingEmailOf(userId: string): Promise<string | null>;
  /** A user, read for all rows of one page at once; null if unknown */
  userById(id: string): Promise<ListedUser | null>;
  /** The user who has an e-mail or had it last, read for all events of one page at once; null if nobody had it */
  userByEmail(email: string): Promise<ListedUser | null>;
  /** The session of a login or logout in the audit log, read for all events of one page at once; null if unknown */
  sessionOfEvent(id: string): Promise<string | null>;
}

/**
 * Resolves the caller, for the resolvers of one request.
 * @throws {GraphQLError} UNAUTHENTICATED (401), RATE_LIMITED (429), BAD_REQUEST (400) or UNAVAILABLE (503)
 */
export async function createContext(
  deps: GraphqlDependencies,
  concurrency: Concurrency,
  { budget, origin, ids, isGone, json, received, resolved }: GraphqlRequest,
): Promise<GraphqlContext> {
  const resolution = await outagesAs503(deps, ids, () => resolveCaller(deps, received, budget));
  resolved(resolution);
  if (resolution.kind !== 'caller') throw refusalError(resolution, deps.clock.now());
  if (json instanceof SyntaxError) throw errorOf('body_not_json', 'Request body is not valid JSON', status(400));
  const { caller } = resolution;
  return withLoaders({
    caller,
    body: deps.documents.exchange(json, caller.callerType),
    origin,
    deps: { ...deps, db: deps.db.within(budget) },
    ids,
    isGone,
    concurrency: concurrency.within(budget),
  });
}

const NO_SESSIONS: Page<Session> = { rows: [], hasNextPage: false };

/** What `withLoaders` adds */
type Loaded =
  | 'sessionsOf'
  | 'devicesOf'
  | 'factorsOf'
  | 'recoveryCodesOf'
  | 'pendingEmailOf'
  | 'userById'
  | 'userByEmail'
  | 'sessionOfEvent';

/** One mutation of a document changes what the next one shows. */
const NO_CACHE = { cache: false };

/** Of sessions one loader for each page that an operation asks for, under an alias or in a fragment. */
function withLoaders(context: Omit<GraphqlContext, Loaded>): GraphqlContext {
  const { caller, deps, isGone, concurrency } = context;
  const loaders = new Map<string, DataLoader<string, Page<Session>>>();
  const sessionsOf: GraphqlContext['sessionsOf'] = ({ first, after, live }, userId) => {
    const key = JSON.stringify([first, after, live]);
    const loader =
      loaders.get(key) ??
      new DataLoader(async (userIds: readonly string[]) => {
        const read = () => listSessions(deps.db, userIds, { first, after, live }, deps.clock.now());
        const pages = await concurrency.ofCaller(caller, 'reads', isGone, read);
        return userIds.map((id) => pages.get(id) ?? NO_SESSIONS);
      }, NO_CACHE);
    loaders.set(key, loader);
    return loader.load(userId);
  };
  const users = new DataLoader(async (ids: readonly string[]) => {
    const found = await concurrency.ofCaller(caller, 'reads', isGone, () => usersById(deps, ids));
    return ids.map((id) => found.get(id) ?? null);
  }, NO_CACHE);
  const holders = new DataLoader(async (emails: readonly string[]) => {
    const found = await concurrency.ofCaller(caller, 'reads', isGone, () => usersByEmail(deps, emails));
    return emails.map((email) => found.get(email) ?? null);
  }, NO_CACHE);
  const devices = new DataLoader(async (userIds: readonly string[]) => {
    const found = await concurrency.ofCaller(caller, 'reads', isGone, () => listDevices(deps.db.admin, userIds));
    return userIds.map((id) => found.get(id) ?? []);
  }, NO_CACHE);
  const factors = new DataLoader(async (userIds: readonly string[]) => {
    const found = await concurrency.ofCaller(caller, 'reads', isGone, () => listFactors(deps.db.admin, userIds));
    return userIds.map((id) => found.get(id) ?? []);
  }, NO_CACHE);
  const recoveryCodes = new DataLoader(async (userIds: readonly string[]) => {
    const found = await concurrency.ofCaller(caller, 'reads', isGone, () => countRecoveryCodes(deps.db.admin, userIds));
    return userIds.map((id) => found.get(id) ?? 0);
  }, NO_CACHE);
  const pending = new DataLoader(async (userIds: readonly string[]) => {
    const read = () => pendingEmails(deps.db.admin, userIds, deps.clock.now());
    const found = await concurrency.ofCaller(caller, 'reads', isGone, read);
    return userIds.map((id) => found.get(id)?.email ?? null);
  }, NO_CACHE);
  const sessions = new DataLoader(async (ids: readonly string[]) => {
    const found = await concurrency.ofCaller(caller, 'reads', isGone, () => sessionsOfEvents(deps.db, ids));
    return ids.map((id) => found.get(id) ?? null);
  }, NO_CACHE);
  return {
    ...context,
    sessionsOf,
    devicesOf: (id) => devices.load(id),
    factorsOf: (id) => factors.load(id),
    recoveryCodesOf: (id) => recoveryCodes.load(id),
    pendingEmailOf: (id) => pending.load(id),
    userById: (id) => users.load(id),
    userByEmail: (email) => holders.load(email),
    sessionOfEvent: (id) => sessions.load(id),
  };
}

function refusalError(refusal: Exclude<Resolution, { kind: 'caller' }>, now: Date): GraphQLError {
  if (refusal.kind === 'rate_limited') {
    const tooMany = status(429, ['retry-after', String(refusal.limit.resetSeconds)]);
    return errorOf('rate_limited', 'Too many requests for this key, try again later', tooMany);
  }
  const { reason, detail, fields, signatureBase } = refusal;
  const more = {
    ...(reason === 'signature_expired' && { serverTime: now.toISOString() }),
    ...(signatureBase !== undefined && { signatureBase }),
  };
  return errorOf(reason, detail, status(401, ...fields), more);
}
