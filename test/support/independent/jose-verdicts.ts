/** What Interface 4 makes of a token, by jose alone: shares no code with src, so that the two can be compared. */
import { importJWK, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';

export interface Judge {
  /** `type`, `jti`, `sub`, `sid` and what its key is for, or undefined if it is refused */
  refresh(token: string, now: Date): Promise<Record<string, unknown> | undefined>;
  /** `sub`, `role`, `sid`, level and time of the proof, or undefined where it is refused */
  access(token: string, now: Date): Promise<Record<string, unknown> | undefined>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @param jwks the keys of a keyring, private as they stand in its file */
export function createJudge(jwks: readonly JWK[], issuer: string, audience: string): Judge {
  const keys = new Map(jwks.map((jwk) => [jwk, importJWK(publicHalf(jwk), jwk.alg)]));
  const verified = async (token: string, now: Date, typ?: string) => {
    const ofAccess = typ !== undefined;
    let isOct = false;
    const getKey = async ({ kid, alg }: { kid?: string; alg?: string }) => {
      const jwk = jwks.find((candidate) => candidate.kid === kid && candidate.use === 'sig');
      if (jwk === undefined || jwk.alg !== alg || (ofAccess && jwk.kty === 'oct')) throw new Error('no such key');
      isOct = jwk.kty === 'oct';
      return keys.get(jwk) as ReturnType<typeof importJWK>;
    };
    const expected = { issuer, requiredClaims: ['exp'], currentDate: now, ...(ofAccess && { typ, audience }) };
    try {
      const { payload } = await jwtVerify(token, getKey, expected);
      return { payload, isOct };
    } catch {
      return undefined;
    }
  };
  return {
    refresh: async (token, now) => {
      const { payload, isOct } = (await verified(token, now)) ?? {};
      if (payload === undefined || (!isOct && payload['type'] === 'refresh')) return undefined;
      const { type, jti, sub, sid } = payload;
      return { type, jti, sub, sid, signedBy: isOct ? 'refresh' : 'access' };
    },
    access: async (token, now) => {
      const { type, sub, role, sid, acr, auth_time, iat, exp } = (await verified(token, now, 'at+jwt'))?.payload ?? {};
      if (type !== 'access' || typeof sub !== 'string' || !UUID.test(sub)) return undefined;
      if (!['viewer', 'analyst', 'admin'].includes(String(role)) || typeof role !== 'string') return undefined;
      return {
        sub,
        role,
        sid: typeof sid === 'string' && UUID.test(sid) ? sid : undefined,
        acr: acr === 'aal2' ? 'aal2' : 'aal1',
        authTime: [auth_time, iat, 0].find((claim) => Number.isFinite(claim)),
        expiresAt: exp,
      };
    },
  };
}

function publicHalf(jwk: JWK): JWK {
  if (jwk.kty === 'oct') return jwk;
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...shown } = jwk;
  return shown;
}

/** Signed by jose as the gateway would sign it. */
export async function joseSigned(claims: JWTPayload, typ: string, jwk: JWK): Promise<string> {
  const { alg = '', kid = '' } = jwk;
  return new SignJWT(claims).setProtectedHeader({ alg, typ, kid }).sign(await importJWK(jwk, alg));
}
