'use client';

import { createAuthClient, type User } from '@auth-gateway/client/browser';
import { useAuth } from '@auth-gateway/client/react';

export const auth = createAuthClient({ url: '/' });

export type Visitor = Pick<User, 'sub' | 'role'>;

/** @param visitor the user whom the server knows by its own session, if it has one */
export function App({ visitor }: { visitor?: Visitor | undefined }) {
  const state = useAuth(auth);
  const user = state.status === 'loading' ? visitor : state.user;
  if (user) return <p>Logged in as {user.role}</p>;
  if (state.status === 'signing-out') return <p role="status">Not logged out yet, trying</p>;
  return <p>{state.status === 'loading' ? 'One moment' : 'Logged out'}</p>;
}
