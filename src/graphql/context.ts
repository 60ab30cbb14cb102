/** What every resolver receives: the caller and the services of the gateway. */
import DataLoader from 'dataloader';
import type { GraphQLError } from 'graphql';
import { type Device, listDevices } from '../admin/devices.js';
import { pendingEmails } from '../admin/email-changes.js';
import { countRecoveryCodes, type ListedFactor, listFactors } from '../admin/factors.js';
import { listSessions, type Session, type SessionPageRequest } from '../admin/sessions.js';
import { type ListedUser, usersByEmail, usersById } from '../admin/users.js';
import { type ListedAttempt, listAttempts } from '../admin/webhooks.js';
import type { Look } from '../audit/live.js';
import type { AuditEventFilter } from '../audit/log.js';
import { sessionsOfEvents } from '../audit/lookups.js';
import type { CallerDeps, Resolution } from '../callers/caller.js';
import type { GraphqlRequest } from '../callers/graphql-over-http.js';
import { resolveCaller } from '../callers/resolve-caller.js';
import { NO_ROWS, type Page } from '../listing/page.js';
import type { Deps } from '../services.js';
import type { Concurrency, Waiting } from './concurrency.js';
import { errorOf, outagesAs503, status } from './errors.js';
import type { TrustedDocuments } from './trusted-documents.js';
import type { GatewayChecksType } from './types/gateway.js';

export interface GraphqlDependencies
  extends CallerDeps,
    Deps<
      | 'fullDisk'
      | 'liveLog'
      | 'log'
      | 'metrics'
      | 'passwords'
      | 'passwordRules'
      | 'redis'
      | 'sampling'
      | 'state'
      | 'windows'
    > {
  /** When this instance was started */
  startedAt: Date;
  /** What `doctor` finds in this instance. Undefined while the first run takes too long to wait for */
  latestChecks(): Promise<GatewayChecksType | undefined>;
  documents: TrustedDocuments;
  /** Writes a line to the terminal, which is not the log. */
  print(line: string): void;
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
  /** The last attempts of a webhook, read for all webhooks of one page at once */
  attemptsOf(webhookId: string): Promise<ListedAttempt[]>;
  /** Events of the log from where the stream of this request begins */
  follow?(filter: AuditEventFilter): Promise<AsyncGenerator<Look>>;
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
  const limited = { ...deps, db: deps.db.within(budget) };
  const inTime = concurrency.within(budget);
  const loaders = createLoaders(limited, (read) => inTime.ofCaller(caller, 'reads', isGone, read), false);
  const body = deps.documents.exchange(json, caller.callerType);
  return { caller, body, origin, deps: limited, ids, isGone, concurrency: inTime, ...loaders };
}

/** What reads rows for many fields at once */
type Loaders = Pick<
  GraphqlContext,
  | 'sessionsOf'
  | 'devicesOf'
  | 'factorsOf'
  | 'recoveryCodesOf'
  | 'pendingEmailOf'
  | 'userById'
  | 'userByEmail'
  | 'sessionOfEvent'
  | 'attemptsOf'
>;

/**
 * Of sessions one loader for each page that an operation asks for, under an alias or in a fragment.
 * @param limited runs what asks the database
 * @param cache false for a request: one mutation of a document changes what the next one shows
 */
export function createLoaders(
  deps: Pick<GraphqlDependencies, 'clock' | 'db'>,
  limited: <T>(read: () => Promise<T>) => Promise<T>,
  cache: boolean,
): Loaders {
  const { clock, db } = deps;
  /** @param read finds rows for all keys at once */
  const load = <T, None>(
    read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
    none: None,
  ): ((key: string) => Promise<T | None>) => {
    const loader = new DataLoader<string, T | None>(
      async (keys) => {
        const found = await limited(() => read(keys));
        return keys.map((key) => found.get(key) ?? none);
      },
      { cache },
    );
    return (key) => loader.load(key);
  };
  const pages = new Map<string, (userId: string) => Promise<Page<Session>>>();
  return {
    sessionsOf: (page, userId) => {
      const key = JSON.stringify(page);
      const ofPage = pages.get(key) ?? load((userIds) => listSessions(db, userIds, page, clock.now()), NO_ROWS);
      pages.set(key, ofPage);
      return ofPage(userId);
    },
    userById: load((ids) => usersById(deps, ids), null),
    userByEmail: load((emails) => usersByEmail(deps, emails), null),
    devicesOf: load((ids) => listDevices(db.admin, ids), []),
    factorsOf: load((ids) => listFactors(db.admin, ids), []),
    recoveryCodesOf: load((ids) => countRecoveryCodes(db.admin, ids), 0),
    pendingEmailOf: load(async (ids) => {
      const pending = await pendingEmails(db.admin, ids, clock.now());
      return new Map(Array.from(pending, ([id, { email }]) => [id, email]));
    }, null),
    sessionOfEvent: load((ids) => sessionsOfEvents(db, ids), null),
    attemptsOf: load((ids) => listAttempts(db.admin, ids), []),
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
