/** Spec 2.7 and Interface 4: access tokens (RFC 9068) and refresh tokens (RFC 7519), checked as RFC 8725 asks. */
import { hash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../config/config.js';
import { isRole, type Role } from '../../domain/roles.js';
import { ownScopes, ROLE_SCOPES } from '../../domain/scopes.js';
import { addSeconds, epochSeconds } from '../../platform/clock.js';
import { isUuid, uuidInTimeOrder } from '../../platform/ids.js';
import type { WatchedClock } from '../../platform/watched-clock.js';
import type { SigningKey } from '../keyring/import-keys.js';
import type { Keyring } from '../keyring/keyring.js';
import { readOwnJwt, signJwt } from './compact-jws.js';
import { verifyJwt } from './verify-jwt.js';

/** Who issues, for whom and for how long. */
type TokenSettings = Pick<Config, 'publicUrl' | 'jwtAudience' | 'accessTokenSeconds' | 'refreshTokenSeconds'>;

/** `client_id` of RFC 9068 section 2.2: the gateway is its own and only client. */
const CLIENT_ID = 'auth-gateway';

/** Access tokens that are known to be good, so that the signature of each is checked once: some 5 MB. */
const MAX_KNOWN_TOKENS = 10_000;

export interface AccessClaims {
  /** User id, a UUID */
  sub: string;
  role: Role;
  /** Family of the refresh tokens that this session uses */
  sid: string | undefined;
}

/** What is read of a refresh JWT whose signature and expiry are good; any of it may be missing. */
export interface RefreshClaims {
  type: unknown;
  jti: unknown;
  sub: unknown;
  /** The session: `family_id` of Spec 2.6 */
  sid: unknown;
  /** What its key is for. An access key may name the wrong type, and end nothing. */
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

export interface Tokens {
  /** @param session `jti` and `expiresAt` are of the refresh token */
  issuePair(session: { sub: string; role: Role; sid: string; jti: string; expiresAt: Date }, now: Date): TokenPair;
  /** When a refresh token issued now expires: `exp` of the JWT and `expires_at` of its record. */
  refreshTokenExpiry(now: Date): Date;
  /**
   * The claims, or undefined for a token that is not a good access token of this gateway.
   * @throws {ClockSkewed} where the time alone decides, and the clock here is wrong
   */
  verifyAccessToken(token: string, now: Date): Promise<AccessClaims | undefined>;
  /**
   * The claims, or undefined if signature, expiry or issuer are not good. The type is left to Spec 4.2 step 3, but an
   * access key signs no refresh token.
   * @throws {ClockSkewed} where it would be refused by its expiry alone, and the clock here is wrong
   */
  verifyRefreshToken(token: string, now: Date): Promise<RefreshClaims | undefined>;
}

/** An access token whose signature and claims are good, whatever the time is. */
interface KnownToken {
  claims: AccessClaims;
  /** `exp`: seconds since the epoch */
  expiresAt: number;
  /** It was checked with */
  key: SigningKey;
}

export function createTokens(keyring: Keyring, settings: TokenSettings, clock: WatchedClock): Tokens {
  const sign = (claims: JWTPayload, key: SigningKey, issuedAt: Date, expiresAt: number): string =>
    signJwt({ ...claims, iss: settings.publicUrl, iat: epochSeconds(issuedAt), exp: expiresAt }, key);

  /** By SHA-256, so that no token stays in memory for its sake. */
  const known = new LRUCache<string, KnownToken>({ max: MAX_KNOWN_TOKENS });

  /** Undefined also where the keyring has been read again since. */
  const findKnown = (digest: string): KnownToken | undefined => {
    const token = known.get(digest);
    return token && keyring.byKid('access', token.key.kid) === token.key ? token : undefined;
  };

  /** Only what is good now is kept, so that strangers cannot fill the memory. */
  const checkAccessToken = async (token: string, digest: string, now: Date): Promise<AccessClaims | undefined> => {
    const verified = await verifyJwt(token, (kid) => keyring.byKid('access', kid), now, {
      typ: 'at+jwt',
      issuer: settings.publicUrl,
      audience: settings.jwtAudience,
    });
    if (verified === undefined || verified.claims['type'] !== 'access') return undefined;
    const { sub, role, sid, exp, nbf } = verified.claims;
    if (!isUuid(sub) || !isRole(role)) return undefined;
    clock.mustAgree(); // only its expiry is left to decide
    if (verified.isExpired) return undefined;
    const claims = { sub, role, sid: isUuid(sid) ? sid : undefined };
    // A time from which on it is good would have to be compared at each use; ours have none.
    if (exp !== undefined && nbf === undefined) known.set(digest, { claims, expiresAt: exp, key: verified.key });
    return claims;
  };

  return {
    issuePair: ({ sub, role, sid, jti, expiresAt }, now) => ({
      accessToken: sign(
        {
          aud: settings.jwtAudience,
          sub,
          client_id: CLIENT_ID,
          jti: uuidInTimeOrder(now),
          role,
          ...permissions(role),
          sid,
          type: 'access',
        },
        keyring.inUse('access', now),
        now,
        epochSeconds(now) + settings.accessTokenSeconds,
      ),
      refreshToken: sign(
        { type: 'refresh', jti, sub, sid },
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
      clock.mustAgree();
      return found.expiresAt > epochSeconds(now) ? found.claims : undefined;
    },

    verifyRefreshToken: async (token, now) => {
      const own = readOwnJwt(token, (header) => keyring.byHeader('refresh', header));
      if (own !== undefined && isPlainAndGood(own, settings.publicUrl, now)) return refreshClaims(own, 'refresh');

      const keyOf = (kid?: string) => keyring.byKid('refresh', kid) ?? keyring.byKid('access', kid);
      const verified = await verifyJwt(token, keyOf, now, { issuer: settings.publicUrl });
      if (verified === undefined) return undefined;
      if (verified.isExpired) {
        clock.mustAgree();
        return undefined;
      }
      const signedBy = keyring.byKid('refresh', verified.key.kid) === undefined ? 'access' : 'refresh';
      if (signedBy === 'access' && verified.claims['type'] === 'refresh') return undefined;
      return refreshClaims(verified.claims, signedBy);
    },
  };
}

/**
 * A role in the claims that stock checks read (RFC 9068 section 2.2.3). A role without scopes has no `scope`: RFC 6749
 * section 3.3 knows no empty one.
 */
function permissions(role: Role): { roles: Role[]; scope?: string } {
  const scopes = ownScopes(ROLE_SCOPES[role]);
  return { roles: [role], ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }) };
}

function refreshClaims({ type, jti, sub, sid }: JWTPayload, signedBy: RefreshClaims['signedBy']): RefreshClaims {
  return { type, jti, sub, sid, signedBy };
}

/** True where nothing is left to judge of the claims of a token that we wrote; what is false may still be good. */
function isPlainAndGood({ iss, iat, nbf, exp }: JWTPayload, issuer: string, now: Date): boolean {
  const areTimes = typeof iat === 'number' && typeof exp === 'number' && nbf === undefined;
  return iss === issuer && areTimes && exp > epochSeconds(now);
}
