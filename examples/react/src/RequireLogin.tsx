'use client';

import { useAuth } from '@auth-gateway/client/react';
import { type ReactNode, useEffect } from 'react';
import { auth } from './auth';

/** Around what needs a login: others go to /login first, and come back. */
export function RequireLogin({ children }: { children: ReactNode }) {
  const { status } = useAuth(auth);
  useEffect(() => {
    const here = location.href.slice(location.origin.length);
    if (status === 'signed-out') location.replace(`/login?to=${encodeURIComponent(here)}`);
  }, [status]);
  return status === 'signed-in' ? children : <p>One moment</p>;
}

/** For /login, after each of its steps. Somebody whose second factor is still wanted stays. The link leads to a page of this site, even if a stranger made it. */
export function comeBack() {
  if (auth.state().status !== 'signed-in') return;
  const to = URL.parse(new URLSearchParams(location.search).get('to') ?? '/', location.origin);
  location.replace(to?.origin === location.origin ? to : '/');
}
