/** Operations of GraphQL on what is one's own. (Interface 7 and 21) */
import type { Ask } from './routes.js';

/**
 * @returns the first field of the operation
 * @throws {AuthError} with the reason of its first error; the status is 401 with `confirmation_required`, otherwise
 *   200 if the gateway has read the operation
 */
export function askGraphql<T extends object>(askWithToken: Ask, query: string, variables?: object): Promise<T> {
  const accept = ({ data, errors }: { data: Record<string, T>; errors?: object }) =>
    errors ? undefined : Object.values(data)[0];
  return askWithToken('../graphql', accept, { query, variables });
}
