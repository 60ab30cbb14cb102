/** What pages ask about who is logged in. (Interface 20 and 21) */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Me } from '../../../client/src/browser.js';
import { useAsked } from '../answer.js';
import { auth, currentUser } from '../auth.js';
import type { KnownDevice } from '../devices.js';
import type { ListedFactor } from '../factor-table.js';
import { ask } from '../graphql.js';
import type { Answer } from '../rows.js';
import { DEVICES, FACTORS, type Own, type OwnFactors, PENDING } from './operations.js';

/** Increases when what is one's own may be another by now */
export const ownTurn = signal(0);

/** Reads again all that is shown. */
export function readAgain(): void {
  ownTurn.value += 1;
}

/** Reads again when somebody comes back to the tab, or goes to a section. */
export function useReadAgain(): void {
  useEffect(() => {
    const onShown = (): void => {
      if (!document.hidden) readAgain();
    };
    const onClick = ({ target }: MouseEvent): void => {
      if (target instanceof Element && target.closest('a[href^="#"]') !== null) readAgain();
    };
    document.addEventListener('visibilitychange', onShown);
    document.addEventListener('click', onClick);
    return () => {
      document.removeEventListener('visibilitychange', onShown);
      document.removeEventListener('click', onClick);
    };
  }, []);
}

let asked: { question: string; answer: Promise<Me> } | undefined;

/** Asked once for all parts of the page. */
export function useMe(): Answer<Me> {
  const question = `me ${currentUser.value?.sub} ${ownTurn.value}`;
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

/** Null in the moment in which the user is deleted. */
function useOwn<Data>(operation: Own<Data>): Answer<Data | null> {
  return useAsked(`${operation} ${ownTurn.value}`, async (signal) => (await ask(operation, {}, signal)).me);
}

export const useOwnFactors = (): Answer<OwnFactors | null> => useOwn(FACTORS);
export const useOwnDevices = (): Answer<{ devices: KnownDevice[] } | null> => useOwn(DEVICES);
export const usePendingEmail = (): Answer<{ pendingEmail: string | null } | null> => useOwn(PENDING);

export async function readFactors(): Promise<ListedFactor[]> {
  return (await ask(FACTORS, {})).me?.factors ?? [];
}
