/** Who is logged in, and the way out. (Interface 19 and 21) */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { auth, currentUser } from './auth.js';
import { Foreign } from './foreign.js';
import { problemOf } from './graphql.js';
import { useMe } from './own/own.js';
import { shownProblem } from './problem.js';

/** @param children what else is set there */
export function LogOut({ children }: { children?: ComponentChildren }) {
  const { data } = useMe();
  const [problem, setProblem] = useState<string>();
  const logOut = (): void => {
    setProblem(undefined);
    auth.logout().catch((error: unknown) => {
      if (auth.state().status !== 'signed-in') return; // the page says so by itself
      setProblem(shownProblem(problemOf(error)).message);
    });
  };
  return (
    <div class="account">
      <p title={data?.email}>
        <Foreign text={data?.email ?? '…'} />
        <span class="quiet">({currentUser.value?.role})</span>
      </p>
      {children}
      <button type="button" onClick={logOut}>
        Log out
      </button>
      <p class="error" role="alert">
        {problem}
      </p>
    </div>
  );
}
