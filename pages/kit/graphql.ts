/** Requests to `/graphql`, and what can go wrong with them. */
import { AuthError } from '../../client/src/browser.js';
import { auth } from './auth.js';
import { confirmed, ProofWanted } from './confirmation.js';
import { LostAnswer, Problem } from './problem.js';
import { timeIn } from './time.js';

declare const types: unique symbol;

/** The text of an operation with the types of its data and its variables; `npm run schema` writes them from `operations/`. */
export type Operation<Data, Variables> = string & { readonly [types]?: (variables: Variables) => Data };

const LIMITED = 'The gateway is answering too many of your requests at once.';
const UNAVAILABLE = 'The gateway cannot reach its database at the moment.';

/** What the gateway says of a wait, if it also says how long that is */
const LATER = /,? try again later$/;

interface Answer<Data> {
  data?: Data | null;
  errors?: Array<{
    message: string;
    path?: Array<string | number>;
    extensions?: { code?: string; reason?: string; argument?: string; acrValues?: string[] };
  }>;
}

/**
 * A change that needs a new proof asks for it first.
 * @returns the data, if all of it could be read
 * @throws {Problem}
 */
export function ask<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  return confirmed(() => read(operation, variables, signal));
}

async function read<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const { data, errors = [] } = await send<Data>(operation, variables, signal);
  const [error] = errors;
  if (error === undefined && data !== undefined && data !== null) return data;
  const { code = '', reason, argument, acrValues } = error?.extensions ?? {};
  if (code === 'RATE_LIMITED') throw new Problem(LIMITED, true, reason);
  if (code === 'SERVICE_UNAVAILABLE') throw new LostAnswer(UNAVAILABLE, reason);
  if (code === 'CONFIRMATION_REQUIRED') throw new ProofWanted(`${error?.message}.`, acrValues !== undefined);
  const wasDone = operation.startsWith('mutation') && (error?.path?.length ?? 0) > 1;
  const message = error?.message ?? 'The gateway sent no data';
  throw new Problem(
    `${wasDone ? 'The change was made, but not all of it can be shown. ' : ''}${message}.`,
    false,
    reason,
    argument,
  );
}

async function send<Data>(query: string, variables: unknown, signal?: AbortSignal): Promise<Answer<Data>> {
  try {
    const answer = await auth.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
      signal: signal ?? null,
    });
    return await answer.json();
  } catch (error) {
    throw problemOf(error);
  }
}

/** @returns the error as it is, if the request was given up by its own signal */
export function problemOf(error: unknown): unknown {
  if (error instanceof Problem || (error instanceof DOMException && error.name === 'AbortError')) return error;
  if (error instanceof AuthError && error.kind === 'refused') {
    const { detail, retryAfterSeconds: wait = 0, reason, status } = error;
    const until = reason === 'account_locked' ? `, until ${timeIn(wait)}.` : `. Try again in ${minutes(wait)}.`;
    if (reason === 'invalid_credentials') return new Problem('E-mail or password is wrong.', false, reason);
    const text = wait > 0 ? `${detail?.replace(LATER, '')}${until}` : `${detail}.`;
    return status >= 500 ? new LostAnswer(text, reason) : new Problem(text, status === 429, reason);
  }
  return new LostAnswer('The gateway does not answer.');
}

function minutes(seconds: number): string {
  const count = Math.ceil(seconds / 60);
  return count === 1 ? 'a minute' : `${count} minutes`;
}
