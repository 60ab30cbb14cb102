/** Access tokens (RFC 9068) and refresh tokens (RFC 7519), verified according to RFC 8725. (Spec 2.7 and Interface 4) */
import { hash } from 'node:crypto';
import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../config/config.js';
import {
  type AssuranceLevel,
  type AuthenticationMethod,
  assuranceOf,
  BY_PASSWORD,
  isAssuranceLevel,
} from '../../domain/assurance.js';
import { isRole, type Role } from '../../domain/roles.js';
import { allScopesInSession } from '../../domain/scopes.js';
import { addSeconds, epochSeconds } from '../../platform/clock.js';
import { isUuid, uuidInTimeOrder } from '../../platform/ids.js';
import type { WatchedClock } from '../../platform/watched-clock.js';
import { ASSERTION_TYPE, type SigningKey } from '../keyring/import-keys.js';
import type { Keyring } from '../keyring/keyring.js';
import { readOwnJwt, signJwt } from './compact-jws.js';
import { isSigned, type Verified, verifyJwt } from './verify-jwt.js';

type TokenSettings = Pick<
  Config,
  'publicUrl' | 'jwtAudience' | 'accessTokenSeconds' | 'refreshTokenSeconds' | 'roleScopes' | 'secondFactorRoles'
>;

/** `client_id` of RFC 9068 section 2.2: the gateway is its own and only client. */
export const CLIENT_ID = 'auth-gateway';

/** Verified access tokens, so that each signature is checked once: about 5 MB. */
const MAX_KNOWN_TOKENS = 10_000;

export interface AccessClaims {
  /** User id, a UUID */
  sub: string;
  role: Role;
  /** The session: `family_id` of Spec 2.6 */
  sid: string | undefined;
  /** Interface 20: `aal1` in a token of an older version */
  acr: AssuranceLevel;
  /** The latest proof of the session when the token was issued: seconds since the epoch */
  authTime: number;
  /** `exp`: seconds since the epoch */
  expiresAt: number;
}

/** Claims of a refresh JWT whose signature and expiry are valid; any of them may be missing. */
export interface RefreshClaims {
  type: unknown;
  jti: unknown;
  sub: unknown;
  /** The session: `family_id` of Spec 2.6 */
  sid: unknown;
  /** The purpose of its key. An access token in the cookie is refused by its type, and ends no session. */
  signedBy: 'refresh' | 'access';
}

/** A claim that is absent, null or empty. */
export function isMissing(claim: unknown): boolean {
  return claim === undefined || claim === null || claim === '';
}

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** What a pair of tokens says. */
export interface TokenSession {
  /** User id */
  sub: string;
  role: Role;
  sid: string;
  /** The login */
  startedAt: Date;
  /** Interface 20: how the session was proved; null: by its password */
  amr: readonly AuthenticationMethod[] | null;
  /** Of the latest confirmation or enrolment; null: there was none since the login */
  provedAt: Date | null;
}

/** The record of a refresh token */
interface TokenRecord {
  jti: string;
  expiresAt: Date;
}

export interface Tokens {
  issuePair(session: TokenSession, record: TokenRecord, now: Date): TokenPair;
  issueAccessToken(session: TokenSession, now: Date): string;
  /** When a refresh token issued now expires: `exp` of the JWT and `expires_at` of its record. */
  refreshTokenExpiry(now: Date): Date;
  /**
   * The claims, or undefined if it is not a valid access token of this gateway.
   * @throws {ClockSkewed} if only its expiry is left to check and this clock is wrong
   */
  verifyAccessToken(token: string, now: Date): Promise<AccessClaims | undefined>;
  /**
   * The claims, or undefined if signature, expiry or issuer are invalid. Spec 4.2 step 3 checks the type, but a refresh
   * token that an access key signed is refused here, and so is an assertion, which other services receive.
   * @throws {ClockSkewed} if only its expiry would refuse it and this clock is wrong
   */
  verifyRefreshToken(token: string, now: Date): Promise<RefreshClaims | undefined>;
  /** True if a key of the keyring has signed it, in use or not, whatever it says and whether or not it has expired. */
  isOurs(token: string): Promise<boolean>;
}

/** An access token whose signature and claims are valid; only its expiry is left to check. */
interface KnownToken {
  claims: AccessClaims;
  key: SigningKey;
}

export function createTokens(keyring: Keyring, settings: TokenSettings, clock: WatchedClock): Tokens {
  const sign = (claims: JWTPayload, key: SigningKey, issuedAt: Date, expiresAt: number): string =>
    signJwt({ ...claims, iss: settings.publicUrl, iat: epochSeconds(issuedAt), exp: expiresAt }, key);

  /** Keyed by SHA-256, so that tokens do not stay in memory. */
  const known = new LRUCache<string, KnownToken>({ max: MAX_KNOWN_TOKENS });

  /** Undefined also if the keyring has been reloaded since. */
  const findKnown = (digest: string): KnownToken | undefined => {
    const token = known.get(digest);
    return token && keyring.byKid('access', token.key.kid) === token.key ? token : undefined;
  };

  /**
   * Ed25519 is deterministic (RFC 8032 section 5.1.6): signing the same bytes with the same key writes the same
   * signature. So a token is ours if signing it again gives the token, which costs a sixth of verifying it. If it does not,
   * nothing is lost: `verifyJwt` decides. ECDSA signs differently each time, and RSA verifies faster than it signs.
   */
  const readOwnAccessToken = (token: string, now: Date): Verified | undefined => {
    let key: SigningKey | undefined;
    const claims = readOwnJwt(token, (header) => {
      key = keyring.byHeader('access', header);
      return key?.alg === 'EdDSA' ? key : undefined;
    });
    if (key === undefined || claims?.aud !== settings.jwtAudience) return undefined;
    return isPlainAndGood(claims, settings.publicUrl, now) ? { claims, isExpired: false, key } : undefined;
  };

  /** Caches only tokens that are valid now, so that strangers cannot fill the memory. */
  const checkAccessToken = async (token: string, digest: string, now: Date): Promise<AccessClaims | undefined> => {
    const expected = { typ: 'at+jwt', issuer: settings.publicUrl, audience: settings.jwtAudience };
    const verified =
      readOwnAccessToken(token, now) ??
      (await verifyJwt(token, ({ kid }) => keyring.byKid('access', kid), now, expected));
    if (verified === undefined || verified.claims['type'] !== 'access') return undefined;
    const { sub, role, sid, exp, nbf, acr, auth_time, iat } = verified.claims;
    if (!isUuid(sub) || !isRole(role)) return undefined;
    clock.requireSynced(); // only its expiry is left to decide
    if (verified.isExpired) return undefined;
    const claims = {
      sub,
      role,
      sid: isUuid(sid) ? sid : undefined,
      acr: isAssuranceLevel(acr) ? acr : 'aal1',
      authTime: secondsOf(auth_time) ?? secondsOf(iat) ?? 0,
      expiresAt: exp ?? Number.POSITIVE_INFINITY,
    } as const;
    // `nbf` would have to be compared at each use; our tokens have none.
    if (exp !== undefined && nbf === undefined) known.set(digest, { claims, key: verified.key });
    return claims;
  };

  const issueAccessToken = ({ sub, role, sid, startedAt, amr, provedAt }: TokenSession, now: Date): string => {
    const methods = amr ?? BY_PASSWORD;
    const acr = assuranceOf(methods);
    const scopes = allScopesInSession({ role, acr }, settings);
    return sign(
      {
        aud: settings.jwtAudience,
        sub,
        client_id: CLIENT_ID,
        jti: uuidInTimeOrder(now),
        role,
        roles: [role], // RFC 9068 section 2.2.3, as is `scope`
        scope: scopes.length > 0 ? scopes.join(' ') : undefined, // RFC 6749 section 3.3 allows no empty one
        sid,
        auth_time: epochSeconds(provedAt ?? startedAt),
        amr: [...methods],
        acr,
        type: 'access',
      },
      keyring.inUse('access', now),
      now,
      epochSeconds(now) + settings.accessTokenSeconds,
    );
  };

  return {
    issueAccessToken,

    issuePair: (session, { jti, expiresAt }, now) => ({
      accessToken: issueAccessToken(session, now),
      refreshToken: sign(
        { type: 'refresh', jti, sub: session.sub, sid: session.sid },
        keyring.inUse('refresh', now),
        now,
        epochSeconds(expiresAt),
      ),
    }),

    refreshTokenExpiry: (now) => addSeconds(new Date(epochSeconds(now) * 1000), settings.refreshTokenSeconds),

    verifyAccessToken: async (token, now) => {
      const digest = hash('sha256', token, 'base64');
      const found = findKnown(digest);
      if (found === undefined) return checkAccessToken(token, digest, now);
      clock.requireSynced();
      return found.claims.expiresAt > epochSeconds(now) ? found.claims : undefined;
    },

    verifyRefreshToken: async (token, now) => {
      const own = readOwnJwt(token, (header) => keyring.byHeader('refresh', header));
      if (own !== undefined && isPlainAndGood(own, settings.publicUrl, now)) return refreshClaims(own, 'refresh');

      const keyOf = ({ kid, typ }: JWTHeaderParameters) =>
        keyring.byKid('refresh', kid) ?? (typ === ASSERTION_TYPE ? undefined : keyring.byKid('access', kid));
      const verified = await verifyJwt(token, keyOf, now, { issuer: settings.publicUrl });
      if (verified === undefined) return undefined;
      if (verified.isExpired) {
        clock.requireSynced();
        return undefined;
      }
      const signedBy = keyring.byKid('refresh', verified.key.kid) === undefined ? 'access' : 'refresh';
      if (signedBy === 'access' && verified.claims['type'] === 'refresh') return undefined;
      return refreshClaims(verified.claims, signedBy);
    },

    isOurs: (token) => isSigned(token, ({ kid }) => keyring.byKid('refresh', kid) ?? keyring.byKid('access', kid)),
  };
}

function secondsOf(claim: unknown): number | undefined {
  return typeof claim === 'number' && Number.isFinite(claim) ? claim : undefined;
}

function refreshClaims({ type, jti, sub, sid }: JWTPayload, signedBy: RefreshClaims['signedBy']): RefreshClaims {
  return { type, jti, sub, sid, signedBy };
}

/** True if the claims of our own token are plainly valid; otherwise `verifyJwt` decides. */
function isPlainAndGood({ iss, iat, nbf, exp }: JWTPayload, issuer: string, now: Date): boolean {
  const areTimes = typeof iat === 'number' && typeof exp === 'number' && nbf === undefined;
  return iss === issuer && areTimes && exp > epochSeconds(now);
}
