/** Spec 2.7 and CONTRACT 4: access tokens (RFC 9068) and refresh tokens (RFC 7519), checked as RFC 8725 asks. */
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose';
import type { Config } from '../config.js';
import { addSeconds, epochSeconds } from '../platform/clock.js';
import { isUuid, uuidInTimeOrder } from '../platform/ids.js';
import type { WatchedClock } from '../platform/watched-clock.js';
import { isRole, type Role } from '../roles.js';
import { ownScopes, ROLE_SCOPES } from '../scopes.js';
import type { SigningKey } from './import-keys.js';
import type { Keyring } from './keyring.js';

/** Who issues, for whom and for how long. */
type TokenSettings = Pick<Config, 'publicUrl' | 'jwtAudience' | 'accessTokenSeconds' | 'refreshTokenSeconds'>;

/** `client_id` of RFC 9068 section 2.2: the gateway is its own and only client. */
const CLIENT_ID = 'auth-gateway';

export interface AccessClaims {
  /** User id, a UUID */
  sub: string;
  role: Role;
  /** Family of the refresh tokens that this session uses */
  sid: string | undefined;
}

/** What Spec 4.2 and 4.3 read of a refresh JWT whose signature and expiry are good; any of it may be missing. */
export interface RefreshClaims {
  type: unknown;
  jti: unknown;
  sub: unknown;
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
  issuePair(
    session: { sub: string; role: Role; sid: string; jti: string; expiresAt: Date },
    now: Date,
  ): Promise<TokenPair>;
  /** When a refresh token issued now expires: `exp` of the JWT and `expires_at` of its record. */
  refreshTokenExpiry(now: Date): Date;
  /**
   * The claims, or undefined for a token that is not a good access token of this gateway.
   * @throws {ClockSkewed} where the time alone decides, and the clock here is wrong
   */
  verifyAccessToken(token: string, now: Date): Promise<AccessClaims | undefined>;
  /**
   * The claims, or undefined where signature, expiry or issuer are not good. The type is left to Spec 4.2 step 3.
   * @throws {ClockSkewed} where it would be refused by its expiry alone, and the clock here is wrong
   */
  verifyRefreshToken(token: string, now: Date): Promise<RefreshClaims | undefined>;
}

export function createTokens(keyring: Keyring, settings: TokenSettings, clock: WatchedClock): Tokens {
  const sign = (claims: JWTPayload, typ: string, key: SigningKey, issuedAt: Date, expiresAt: number): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: key.alg, typ, kid: key.kid })
      .setIssuer(settings.publicUrl)
      .setIssuedAt(epochSeconds(issuedAt))
      .setExpirationTime(expiresAt)
      .sign(key.signWith);

  return {
    issuePair: async ({ sub, role, sid, jti, expiresAt }, now) => ({
      accessToken: await sign(
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
        'at+jwt',
        keyring.inUse('access', now),
        now,
        epochSeconds(now) + settings.accessTokenSeconds,
      ),
      refreshToken: await sign(
        { type: 'refresh', jti, sub, sid },
        'JWT',
        keyring.inUse('refresh', now),
        now,
        epochSeconds(expiresAt),
      ),
    }),

    refreshTokenExpiry: (now) => addSeconds(new Date(epochSeconds(now) * 1000), settings.refreshTokenSeconds),

    verifyAccessToken: async (token, now) => {
      const verified = await verify(token, (kid) => keyring.byKid('access', kid), now, {
        typ: 'at+jwt',
        issuer: settings.publicUrl,
        audience: settings.jwtAudience,
      });
      if (verified === undefined || verified.claims['type'] !== 'access') return undefined;
      const { sub, role, sid } = verified.claims;
      if (!isUuid(sub) || !isRole(role)) return undefined;
      clock.mustAgree(); // only its expiry is left to decide
      return verified.isExpired ? undefined : { sub, role, sid: isUuid(sid) ? sid : undefined };
    },

    verifyRefreshToken: async (token, now) => {
      const keyOf = (kid?: string) => keyring.byKid('refresh', kid) ?? keyring.byKid('access', kid);
      const verified = await verify(token, keyOf, now, { issuer: settings.publicUrl });
      if (verified === undefined) return undefined;
      if (verified.isExpired) {
        clock.mustAgree();
        return undefined;
      }
      const { type, jti, sub } = verified.claims;
      return { type, jti, sub };
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

/**
 * Verifies with the key that `kid` names and with that key's own algorithm (RFC 8725 sections 3.1 and 3.10).
 * @returns undefined where more is wrong with it than its expiry
 */
async function verify(
  token: string,
  keyOf: (kid?: string) => SigningKey | undefined,
  now: Date,
  expected: JWTVerifyOptions,
): Promise<{ claims: JWTPayload; isExpired: boolean } | undefined> {
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid, alg }) => {
        const key = keyOf(kid);
        if (key === undefined || key.alg !== alg) throw new errors.JWSInvalid('no such key');
        return key.verifyWith;
      },
      { ...expected, requiredClaims: ['exp'], currentDate: now },
    );
    return { claims: payload, isExpired: false };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { claims: error.payload, isExpired: true }; // `exp` is checked last
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
