/** The identity objects, discriminated by `callerType`, and what each kind of caller implements. (Spec 2.8) */
import type { ActorOf } from '../audit/events.js';
import type { SignatureRefusal } from '../credentials/signatures/request-signature.js';
import type { RequestFacts } from '../credentials/signatures/signature-base.js';
import type { AccessClaims } from '../credentials/tokens/jwt.js';
import type { Db } from '../db/statement.js';
import type { ScopeSettings, Scopes } from '../domain/scopes.js';
import type { Standing, StandingSettings } from '../domain/standing.js';
import type { Explained } from '../platform/refused.js';
import type { Deps } from '../services.js';

export interface UserCaller extends AccessClaims {
  callerType: 'user';
}

export interface ApiKeyCaller {
  callerType: 'api_key';
  keyId: string;
  serviceName: string;
  scopes: string[];
  /** Requests per minute */
  rateLimit: number;
}

export interface CronCaller {
  callerType: 'cron';
  keyId: string;
  serviceName: string;
  scopes: string[];
}

interface Callers {
  user: UserCaller;
  api_key: ApiKeyCaller;
  cron: CronCaller;
}

export type CallerType = keyof Callers;
export type Caller = Callers[CallerType];

/** The user who is calling; undefined for other kinds, which have no sessions. */
export function asUser(caller: Caller): UserCaller | undefined {
  return caller.callerType === 'user' ? caller : undefined;
}

/** Why a request has no caller. Each reason is one that an honest caller can act on. */
export type CallerRefusal =
  | 'missing_credentials'
  | 'multiple_credentials'
  | 'unsupported_scheme'
  | 'invalid_request'
  | 'invalid_token'
  | 'invalid_key'
  | SignatureRefusal;

/** A request that has no caller. */
export interface RefusedCaller extends Explained<CallerRefusal> {
  /** Of `invalid_signature`: the text that should have been signed, made of what was sent and of PUBLIC_URL */
  signatureBase?: string;
}

/** Requests per minute of a key */
export interface KeyLimit {
  quota: number;
  /** Requests left in this minute */
  remaining: number;
  /** Whole seconds until it ends, at least 1 */
  resetSeconds: number;
}

/**
 * `limit` is there if the credential has one; it includes this request. `contentDigest` is the `Content-Digest` of a signature
 * that covers it.
 */
type Known<Type extends CallerType> =
  | { kind: 'caller'; caller: Callers[Type]; limit?: KeyLimit; contentDigest?: string }
  | { kind: 'rate_limited'; limit: KeyLimit };

/**
 * Who is calling. The `fields` of a refusal, names and values, ask for a better credential: `WWW-Authenticate`
 * (RFC 9110 section 11.6.1) and, if a signature is possible, `Accept-Signature` (RFC 9421 section 5.1).
 */
export type Resolution = Known<CallerType> | (RefusedCaller & { fields: Array<[string, string]> });

/** The request whose caller is asked for, before any parsing: the one that was received, or one that a proxy asks about. */
export interface CallerRequest extends RequestFacts {
  /** Kinds of credentials in its fields, valid or not */
  presented: readonly CallerType[];
}

export type CallerDeps = Deps<
  | 'clock'
  | 'config'
  | 'db'
  | 'secretCache'
  | 'keyLimiter'
  | 'keyring'
  | 'knownNonces'
  | 'placeholderKey'
  | 'tokens'
  | 'tracing'
>;

/** What the gateway needs of a kind of caller. */
export interface CallerKind<Type extends CallerType> {
  /** Its credential, in Markdown: docs/interface.md prints it */
  sends: string;
  /** Authentication scheme of the challenge (RFC 9110 section 11.1) */
  scheme: string;
  /** Parameters of the challenge in addition to `realm`; printable ASCII without quotes and backslashes */
  challengeParameters(refusal: Explained<CallerRefusal>): Record<string, string>;
  /** True if the request has a credential of this kind, valid or not. */
  presents(rawHeaders: readonly string[]): boolean;
  /** Call it only if `presents`. @throws the database's error or {Outage} */
  resolve(deps: CallerDeps, request: RequestFacts): Promise<Known<Type> | RefusedCaller>;
  /** Unique over callers of all kinds. */
  id(caller: Callers[Type]): string;
  /** The caller in the audit log. A kind without `ActorOf` still needs a row in `Actors` of `audit/events.ts`. */
  actor(caller: Callers[Type]): ActorOf<Type>;
  /** Scopes by the credential */
  scopes(caller: Callers[Type], settings: Pick<ScopeSettings, 'secondFactorRoles'>): Scopes;
  /** By the rows now; undefined if the caller is deactivated, deleted, revoked or expired. */
  standing(db: Db, caller: Callers[Type], now: Date, settings: StandingSettings): Promise<Standing | undefined>;
  /** What an answer that lasts still relies on. Undefined also if the token has expired or the session has ended. */
  scopesNow(db: Db, caller: Callers[Type], now: Date, settings: StandingSettings): Promise<Scopes | undefined>;
}
