/** CONTRACT 6: exactly one kind of credential in a request; one that fails never falls through to another. */
import { presentsSignature } from '../credentials/request-signature.js';
import { resolveApiKey } from './api-key.js';
import type { Caller, CallerRequest, Resolution } from './caller.js';
import { presentsInternalKey, resolveCron } from './cron.js';
import type { CallerDependencies } from './dependencies.js';
import { presentsAuthorization, resolveUser } from './user.js';

interface Kind {
  presents(request: CallerRequest): boolean;
  resolve(deps: CallerDependencies, request: CallerRequest): Promise<Resolution>;
}

/** The table of CONTRACT 6. */
const KINDS: Record<Caller['callerType'], Kind> = {
  user: { presents: presentsAuthorization, resolve: resolveUser },
  api_key: { presents: ({ rawHeaders }) => presentsSignature(rawHeaders), resolve: resolveApiKey },
  cron: { presents: presentsInternalKey, resolve: resolveCron },
};

/** Who is calling. @throws the database's error or {Outage}: a store that is away is never a pass */
export async function resolveCaller(deps: CallerDependencies, request: CallerRequest): Promise<Resolution> {
  const [kind, ...others] = Object.values(KINDS).filter(({ presents }) => presents(request));
  if (kind === undefined) {
    const detail = 'Send an access token, a signed request or an internal key';
    return { kind: 'refused', reason: 'missing_credentials', detail, credential: undefined };
  }
  if (others.length > 0) {
    const detail = 'Send exactly one kind of credential';
    return { kind: 'refused', reason: 'multiple_credentials', detail, credential: undefined };
  }
  return kind.resolve(deps, request);
}
