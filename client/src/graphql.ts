/** Operations of GraphQL on what is one's own. (Interface 7 and 21) */
import { AuthError } from './auth-error.js';
import type { Ask } from './routes.js';
import type { Me } from './types.js';

interface Refusal {
  message: string;
  extensions?: { reason?: string; acrValues?: object };
}

/**
 * @returns the first field of the operation
 * @throws {AuthError} with the reason of the first error. The status is 200 then, or 401 with `confirmation_required`
 */
export async function askGraphql<T>(askWithToken: Ask, query: string, variables?: object): Promise<T> {
  const { data, errors } = await askWithToken('../graphql', answerOf<T>, { query, variables });
  if (!errors) return Object.values(data)[0] as T;
  const [{ message, extensions: { reason, acrValues } = {} }] = errors;
  const status = reason === 'confirmation_required' ? 401 : 200;
  throw new AuthError('refused', status, message, undefined, reason, undefined, !!acrValues);
}

interface Answer<T> {
  data: Record<string, T>;
  errors?: [Refusal];
}

const answerOf = <T>(answer: Answer<T>): Answer<T> | undefined => (answer.data || answer.errors) && answer;

export const askMe = (askWithToken: Ask): Promise<Me> => askGraphql(askWithToken, '{ me { id email role } }');
