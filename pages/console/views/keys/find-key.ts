/** One key by its id, whether it works or is revoked. */
import { ask } from '../../../kit/graphql.js';
import { FindKey } from '../../operations.js';
import type { Key } from './key.js';

/** @returns undefined if no key has the id */
export async function findKey(id: string, signal: AbortSignal): Promise<Key | undefined> {
  const { apiKeys, cronKeys } = await ask(FindKey, { id }, signal);
  return apiKeys?.nodes[0] ?? cronKeys?.nodes[0];
}
