/** The name under which the page greets: an access token has no e-mail, so the gateway is asked. */
import { useEffect, useState } from 'react';
import type { AuthClient, User } from '../client/src/browser.js';

/** @returns the e-mail of the user, or the id if the gateway does not say; undefined until it has answered */
export function useUserName(auth: AuthClient, user: User | undefined): string | undefined {
  const [name, setName] = useState<string>();
  const sub = user?.sub;
  useEffect(() => {
    if (sub === undefined) return undefined;
    let isCurrent = true;
    const show = (text: string): void => {
      if (isCurrent) setName(text);
    };
    emailOf(auth).then(
      (email) => show(email ?? sub),
      () => show(sub),
    );
    return () => {
      isCurrent = false;
      setName(undefined);
    };
  }, [auth, sub]);
  return name;
}

interface Answer {
  data?: { me: { email: string } | null };
}

async function emailOf(auth: AuthClient): Promise<string | undefined> {
  const answer = await auth.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ me { email } }' }),
  });
  return ((await answer.json()) as Answer).data?.me?.email;
}
