/** Spec 2.8 and CONTRACT 6: `user`, by `Authorization: Bearer` (RFC 6750) with an access token. */
import { fieldValues, onlyFieldValue } from '../credentials/http-fields.js';
import { only, statement } from '../db/statement.js';
import { refused } from '../platform/refused.js';
import type { Role } from '../roles.js';
import { ROLE_SCOPES } from '../scopes.js';
import type { CallerKind } from './caller.js';

const roleOfUserSql = statement('role_of_user', { id: 'uuid' }, { role: only<Role>('text') })`
  select role from users where id = :id and is_active`;

export const user: CallerKind<'user'> = {
  scheme: 'Bearer',
  presents: (rawHeaders) => fieldValues(rawHeaders, 'authorization').length > 0,

  resolve: async ({ clock, tokens }, { rawHeaders }) => {
    const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(onlyFieldValue(rawHeaders, 'authorization') ?? '') ?? [];
    const claims = token === undefined ? undefined : await tokens.verifyAccessToken(token, clock.now());
    return claims === undefined
      ? refused('invalid_token', 'Send one Authorization field with Bearer and an access token that has not expired')
      : { kind: 'caller', caller: { callerType: 'user', ...claims } };
  },

  id: ({ sub }) => sub,
  actor: ({ sub }) => ({ caller_type: 'user', sub }),
  scopes: ({ role }) => ROLE_SCOPES[role],
  scopesNow: async (db, { sub }) => {
    const [row] = await db.run(roleOfUserSql, { id: sub });
    return row && ROLE_SCOPES[row.role];
  },
};
