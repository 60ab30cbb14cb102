/** CONTRACT 6: exactly one kind of credential in a request; one that fails never falls through to another. */
import { refused } from '../platform/refused.js';
import type { CallerDeps, CallerRequest, Resolution } from './caller.js';
import { KINDS } from './kinds.js';

/** Who is calling. @throws the database's error or {Outage}: a store that is away is never a pass */
export async function resolveCaller(deps: CallerDeps, request: CallerRequest): Promise<Resolution> {
  const kinds = Object.values(KINDS);
  const [kind, ...others] = kinds.filter(({ presents }) => presents(request.rawHeaders));
  if (kind === undefined || others.length > 0) {
    const refusal =
      kind === undefined
        ? refused('missing_credentials', 'Send an access token, a signed request or an internal key')
        : refused('multiple_credentials', 'Send exactly one kind of credential');
    return { ...refusal, challenge: kinds.map(challengeOf).join(', ') };
  }
  const resolution = await kind.resolve(deps, request);
  if (resolution.kind !== 'refused') return resolution;
  return { ...resolution, challenge: `${challengeOf(kind)}, error="${resolution.reason}"` };
}

function challengeOf({ scheme }: { scheme: string }): string {
  return `${scheme} realm="auth-gateway"`;
}
