/** Spec 2.8: the identity objects, discriminated by `callerType`. */
import type { SignatureRefusal } from '../credentials/request-signature.js';
import type { RequestFacts } from '../credentials/signature-base.js';
import type { Role } from '../roles.js';

export interface UserCaller {
  callerType: 'user';
  /** User id, a UUID */
  sub: string;
  role: Role;
  /** Session of the access token: its refresh-token family */
  sid: string | undefined;
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

export type Caller = UserCaller | ApiKeyCaller | CronCaller;

/** Why a request has no caller. Each reason is one that an honest caller can act on. */
export type CallerRefusal =
  | 'missing_credentials'
  | 'multiple_credentials'
  | 'invalid_token'
  | 'invalid_key'
  | SignatureRefusal;

/** `credential` names the kind that was tried, for the challenge; undefined where none or several were. */
export type Resolution =
  | { kind: 'caller'; caller: Caller }
  | { kind: 'refused'; reason: CallerRefusal; detail: string; credential: Caller['callerType'] | undefined }
  | { kind: 'rate_limited'; retryAfterSeconds: number };

/** What a caller presents: a request as it came, before any parsing. */
export type CallerRequest = Omit<RequestFacts, 'authority'>;
