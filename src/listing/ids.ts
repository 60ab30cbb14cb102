/** The filter `ids` of listings. (Interface 11) */
import { AdminRefusal } from './refusal.js';

export interface IdFilter {
  /** At most `MAX_IDS`; what is no id of a row matches nothing */
  ids?: readonly string[] | null | undefined;
}

const MAX_IDS = 100;

/** The ids, if they are not too many. @throws {AdminRefusal} */
export function checkedIds(ids: readonly string[]): readonly string[] {
  if (ids.length > MAX_IDS)
    throw new AdminRefusal('invalid_ids', `ids has at most ${MAX_IDS} ids`, { argument: 'ids' });
  return ids;
}
