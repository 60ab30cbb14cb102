/** Spec 2.8 and CONTRACT 6: `user`, by `Authorization: Bearer` (RFC 6750) with an access token. */
import { fieldValues, onlyFieldValue } from '../credentials/http-fields.js';
import type { CallerRequest, Resolution } from './caller.js';
import type { CallerDependencies } from './dependencies.js';

export function presentsAuthorization({ rawHeaders }: CallerRequest): boolean {
  return fieldValues(rawHeaders, 'authorization').length > 0;
}

/** Call it only where `presentsAuthorization`. */
export async function resolveUser({ clock, tokens }: CallerDependencies, request: CallerRequest): Promise<Resolution> {
  const credentials = onlyFieldValue(request.rawHeaders, 'authorization') ?? '';
  const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(credentials) ?? [];
  const claims = token === undefined ? undefined : await tokens.verifyAccessToken(token, clock.now());
  if (claims !== undefined) return { kind: 'caller', caller: { callerType: 'user', ...claims } };
  return {
    kind: 'refused',
    reason: 'invalid_token',
    detail: 'Send one Authorization field with Bearer and an access token that has not expired',
    credential: 'user',
  };
}
