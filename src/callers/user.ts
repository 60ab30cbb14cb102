/** The caller `user`, by `Authorization: Bearer` (RFC 6750) with an access token. (Spec 2.8 and 5.1, Interface 6) */
import { fieldValues, onlyFieldValue } from '../credentials/signatures/http-fields.js';
import type { AccessClaims } from '../credentials/tokens/jwt.js';
import { only, type RowOf, statement } from '../db/statement.js';
import { type AuthenticationMethod, assuranceOf } from '../domain/assurance.js';
import type { Role } from '../domain/roles.js';
import { ROLE_SCOPES, scopesInSession } from '../domain/scopes.js';
import type { NeededProof } from '../domain/standing.js';
import { addSeconds, epochSeconds } from '../platform/clock.js';
import { type Explained, refused } from '../platform/refused.js';
import type { Deps } from '../services.js';
import type { CallerKind } from './caller.js';

const roleOfUserSql = statement('role_of_user', { id: 'uuid' }, { role: only<Role>('text') })`
  select role from users where id = :id and is_active`;

/** Of a session that has ended, all columns about a proof are null. */
const standingOfUserSql = statement(
  'standing_of_user',
  { id: 'uuid', sid: 'uuid?', now: 'timestamptz' },
  {
    role: only<Role>('text'),
    has_factors: 'boolean',
    amr: only<AuthenticationMethod[] | null>('text[]?'),
    proved_at: 'timestamptz?',
  },
)`
  select role, has_factors, amr, proved_at
  from users left join lateral (
    select amr, coalesce(proved_at, session_started_at) as proved_at from refresh_tokens
    where family_id = :sid and not revoked and expires_at >= :now
    order by created_at desc limit 1
  ) as live on true
  where id = :id and is_active`;

/** Scheme and credentials (RFC 9110 section 11.4). */
const CREDENTIALS = /^([\w!#$%&'*+.^`|~-]+)(?: +(.*))?$/;
/** RFC 6750 section 2.1 */
export const BEARER_TOKEN = /^[\w.~+/-]+=*$/;

export const BEARER_DETAILS = {
  unsupported_scheme: 'Authorization must have the scheme Bearer and an access token',
  invalid_request: 'Send one Authorization field: Bearer, a space and an access token',
  invalid_token: 'The access token is invalid or has expired; refresh it or log in again',
} as const;

export type BearerRefusal = keyof typeof BEARER_DETAILS;

export interface BearerToken {
  kind: 'token';
  claims: AccessClaims;
}

function refuse<Reason extends BearerRefusal>(reason: Reason): Explained<Reason> {
  return refused(reason, BEARER_DETAILS[reason]);
}

export const INVALID_TOKEN = refuse('invalid_token');

/** The claims of the access token in `Authorization`. @throws {ClockSkewed} */
export async function readBearer(
  { clock, tokens }: Deps<'clock' | 'tokens'>,
  rawHeaders: readonly string[],
): Promise<BearerToken | Explained<BearerRefusal>> {
  const [, scheme, token = ''] = CREDENTIALS.exec(onlyFieldValue(rawHeaders, 'authorization') ?? '') ?? [];
  if (scheme !== undefined && scheme.toLowerCase() !== 'bearer') return refuse('unsupported_scheme');
  if (!BEARER_TOKEN.test(token)) return refuse('invalid_request');
  const claims = await tokens.verifyAccessToken(token, clock.now());
  return claims === undefined ? INVALID_TOKEN : { kind: 'token', claims };
}

export const user: CallerKind<'user'> = {
  sends: '`Authorization: Bearer ACCESS_TOKEN`',
  scheme: 'Bearer',
  // RFC 6750 section 3.1: another scheme gets no error code; several credentials are an invalid request.
  challengeParameters: ({ reason, detail }) => {
    if (reason === 'unsupported_scheme') return {};
    return { error: reason === 'multiple_credentials' ? 'invalid_request' : reason, error_description: detail };
  },
  presents: (rawHeaders) => fieldValues(rawHeaders, 'authorization').length > 0,

  resolve: async (deps, { rawHeaders }) => {
    const token = await readBearer(deps, rawHeaders);
    return token.kind === 'refused' ? token : { kind: 'caller', caller: { callerType: 'user', ...token.claims } };
  },

  id: ({ sub }) => sub,
  actor: ({ sub }) => ({ caller_type: 'user', sub }),
  scopes: (caller, { secondFactorRoles }) => scopesInSession(caller, secondFactorRoles),
  standing: async (db, { sub, sid = null }, now, { confirmSeconds, secondFactorRoles }) => {
    if (confirmSeconds === 0 && secondFactorRoles.length === 0) {
      const [row] = await db.run(roleOfUserSql, { id: sub });
      return row && { scopes: ROLE_SCOPES[row.role] };
    }
    const [row] = await db.run(standingOfUserSql, { id: sub, sid, now });
    if (row === undefined) return undefined;
    const acr = assuranceOf(row.amr ?? []);
    return {
      scopes: scopesInSession({ role: row.role, acr }, secondFactorRoles),
      needs: confirmSeconds === 0 ? undefined : neededProof(row, confirmSeconds, now),
    };
  },
  scopesNow: async (db, { sub, sid = null, expiresAt }, now, { secondFactorRoles }) => {
    if (expiresAt <= epochSeconds(now)) return undefined;
    const [row] = await db.run(standingOfUserSql, { id: sub, sid, now });
    if (row === undefined || row.proved_at === null) return undefined;
    return scopesInSession({ role: row.role, acr: assuranceOf(row.amr ?? []) }, secondFactorRoles);
  },
};

/** @returns undefined if the session has proved enough */
function neededProof(
  { has_factors, amr, proved_at }: RowOf<typeof standingOfUserSql>,
  confirmSeconds: number,
  now: Date,
): NeededProof | undefined {
  const isBest = !has_factors || assuranceOf(amr ?? []) === 'aal2';
  const isRecent = proved_at !== null && addSeconds(proved_at, confirmSeconds) > now;
  if (isBest && isRecent) return undefined;
  return { maxAge: confirmSeconds, ...(has_factors && { acrValues: ['aal2'] }) };
}
