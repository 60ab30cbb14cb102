/** Sends a query with exactly one credential, and words the answer. */
import { createAuthClient } from '../../client/src/browser.js';
import { PUBLIC_URL } from '../kit/settings.js';
import { operationAt } from './operation.js';
import { type Chosen, WAYS } from './ways.js';

export const auth = createAuthClient({ url: '/' });

export interface Answer {
  /** A line on how it went */
  status: string;
  text: string;
}

interface Question {
  chosen: Chosen;
  query: string;
  /** Of several operations the one at the cursor is executed. */
  cursor: number;
  /** JSON, or nothing */
  variables: string;
}

export async function ask({ chosen, query, cursor, variables }: Question): Promise<Answer> {
  let body: string;
  let credential: Record<string, string>;
  try {
    const given = variables.trim() === '' ? undefined : JSON.parse(variables);
    body = JSON.stringify({ query, operationName: operationAt(query, cursor), variables: given });
    credential = await WAYS[chosen.way].headers(chosen.values, body, new URL(PUBLIC_URL).host);
  } catch (error) {
    return { status: 'Not sent', text: String(error) };
  }
  const send = chosen.way === 'login' ? auth.fetch : fetch;
  const beganMs = performance.now();
  try {
    const headers = { ...credential, 'content-type': 'application/json' };
    const answer = await send('/graphql', { method: 'POST', headers, body });
    const text = await answer.text();
    return { status: `${answer.status}, ${Math.round(performance.now() - beganMs)} ms`, text: indented(text) };
  } catch (error) {
    return { status: 'No answer', text: String(error) };
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
