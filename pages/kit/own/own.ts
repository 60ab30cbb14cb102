/** What pages ask about who is logged in. (Interface 20 and 21) */
import { signal } from '@preact/signals';
import type { Me } from '../../../client/src/browser.js';
import { useAsked } from '../answer.js';
import { auth, currentUser } from '../auth.js';
import type { KnownDevice } from '../devices.js';
import type { ListedFactor } from '../factor-table.js';
import { ask, type Operation } from '../graphql.js';
import type { Answer } from '../rows.js';

/** How often this page has changed the e-mail */
const changes = signal(0);

/** The e-mail is another one now. */
export function emailChanged(): void {
  changes.value += 1;
}

let asked: { question: string; answer: Promise<Me> } | undefined;

/** Asked once for all parts of the page. */
export function useMe(): Answer<Me> {
  const question = `me ${currentUser.value?.sub} ${changes.value}`;
  return useAsked(question, () => {
    if (asked?.question === question) return asked.answer;
    const answer = auth.me();
    asked = { question, answer };
    answer.catch(() => {
      asked = undefined;
    });
    return answer;
  });
}

interface OwnFactors {
  factors: ListedFactor[];
  recoveryCodesLeft: number;
}

/** Typed by hand, as anybody's page would do it. */
type Own<Data> = Operation<{ me: Data | null }, Record<string, never>>;

const FACTORS: Own<OwnFactors> =
  'query OwnFactors { me { factors { id kind name createdAt lastUsedAt } recoveryCodesLeft } }';
const DEVICES: Own<{ devices: KnownDevice[] }> =
  'query OwnDevices { me { devices { id userAgent createdAt lastUsedAt failedLoginAttempts lockedUntil } } }';
const PENDING: Own<{ pendingEmail: string | null }> = 'query PendingEmail { me { pendingEmail } }';

/** Null in the moment in which the user is deleted. */
function useOwn<Data>(operation: Own<Data>, question: string = operation): Answer<Data | null> {
  return useAsked(question, async (signal) => (await ask(operation, {}, signal)).me);
}

export const useOwnFactors = (): Answer<OwnFactors | null> => useOwn(FACTORS);
export const useOwnDevices = (): Answer<{ devices: KnownDevice[] } | null> => useOwn(DEVICES);
export const usePendingEmail = (): Answer<{ pendingEmail: string | null } | null> =>
  useOwn(PENDING, `${PENDING} ${changes.value}`);
