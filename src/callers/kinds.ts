/** Interface 6: the kinds of caller. A new kind is a file and a row; an incomplete one does not compile. */
import { apiKey } from './api-key.js';
import type { CallerKind, CallerType } from './caller.js';
import { cron } from './cron.js';
import { user } from './user.js';

export const KINDS: { [Type in CallerType]: CallerKind<Type> } = { user, api_key: apiKey, cron };

export function kindOf<Type extends CallerType>({ callerType }: { callerType: Type }): CallerKind<Type> {
  return KINDS[callerType];
}

/** The kind of credential in a request; only a request with exactly one has a caller. */
export type PresentedKind = CallerType | 'none' | 'several';

/** @param rawHeaders names and values in turn, as Node reads them */
export function presentedKind(rawHeaders: readonly string[]): PresentedKind {
  const [kind = 'none', ...others] = presentedTypes(rawHeaders);
  return others.length > 0 ? 'several' : kind;
}

/** Every kind of which the request has a credential, valid or not. */
export function presentedTypes(rawHeaders: readonly string[]): CallerType[] {
  return (Object.keys(KINDS) as CallerType[]).filter((type) => KINDS[type].presents(rawHeaders));
}
