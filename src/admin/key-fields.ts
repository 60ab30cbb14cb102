/** What API keys and cron keys have in common: the checks of their fields, and who may grant which scope. */
import { isScope } from '../scopes.js';
import { demand, type Held } from './administer.js';
import { AdminRefusal } from './refusal.js';

const MOST_SCOPES = 50;
const SERVICE_NAME = /^[^\p{C}\s](?:[^\p{C}]{0,98}[^\p{C}\s])?$/u;

/** @throws {AdminRefusal} */
export function checkServiceName(serviceName: string): void {
  if (!SERVICE_NAME.test(serviceName)) {
    throw new AdminRefusal(
      'invalid_service_name',
      'A service name is 1 to 100 printable characters, no space at its ends',
    );
  }
}

/** The scopes, each once. Nobody grants a scope that they do not hold. @throws {AdminRefusal} */
export function grantScopes(held: Held, scopes: readonly string[]): string[] {
  if (scopes.length > MOST_SCOPES || !scopes.every(isScope)) {
    throw new AdminRefusal('invalid_scope', `Scopes are resource:action in lower case, at most ${MOST_SCOPES}`);
  }
  for (const scope of scopes) demand(held, scope);
  return [...new Set(scopes)];
}

export function unknownKey(): AdminRefusal {
  return new AdminRefusal('key_unknown', 'There is no such key that is not revoked');
}
