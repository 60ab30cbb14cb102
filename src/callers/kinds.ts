/** The kinds of caller. A new kind is a file and a row; an incomplete one does not compile. (Interface 6) */
import { allScopesInSession, type ScopeSettings } from '../domain/scopes.js';
import { apiKey } from './api-key.js';
import type { Caller, CallerKind, CallerType } from './caller.js';
import { cron } from './cron.js';
import { user } from './user.js';

export const KINDS: { [Type in CallerType]: CallerKind<Type> } = { user, api_key: apiKey, cron };

export const CALLER_TYPES = Object.keys(KINDS) as CallerType[];

export function kindOf<Type extends CallerType>({ callerType }: { callerType: Type }): CallerKind<Type> {
  return KINDS[callerType];
}

/** What a caller may do, as it is shown: for a user the scopes of the role, here and in the services behind. */
export function scopesOf(caller: Caller, settings: ScopeSettings): readonly string[] {
  return caller.callerType === 'user' ? allScopesInSession(caller, settings) : caller.scopes;
}

/** The kind of credential in a request; only a request with exactly one has a caller. */
export type PresentedKind = CallerType | 'none' | 'several';

export function presentedKind([kind, ...others]: readonly CallerType[]): PresentedKind {
  return others.length > 0 ? 'several' : (kind ?? 'none');
}

/**
 * Every kind of which the request has a credential, valid or not.
 * @param rawHeaders names and values in turn, as Node reads them
 */
export function presentedTypes(rawHeaders: readonly string[]): CallerType[] {
  return CALLER_TYPES.filter((type) => KINDS[type].presents(rawHeaders));
}
