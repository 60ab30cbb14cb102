import { useAuth, useMe } from '@auth-gateway/client/react';
import { useState } from 'react';
import { AuditLog } from './AuditLog';
import { auth } from './gateway';
import { Login, SecondFactor } from './Login';
import { Users } from './Users';
import { say } from './words';

export default function App() {
  const state = useAuth(auth);
  const me = useMe(auth);
  const [problem, setProblem] = useState('');
  const logOut = () => {
    setProblem('');
    auth.logout().catch((error) => {
      if (auth.state().status === 'signed-in') setProblem(say(error));
    });
  };
  if (state.status === 'loading') return <p>One moment</p>;
  if (state.status === 'signed-out') return <Login />;
  if (state.status === 'second-factor') return <SecondFactor />;
  if (state.status === 'signing-out') {
    return <p role="alert">{state.error ? `Not logged out yet. ${say(state.error)}` : 'Logging out'}</p>;
  }
  return (
    <>
      <header>
        <h1>Dashboard</h1>
        <p>
          {me?.email}{' '}
          <button type="button" onClick={logOut}>
            Log out
          </button>
        </p>
      </header>
      <p role="alert">{problem}</p>
      <main key={state.user.sub}>
        <Users />
        <AuditLog user={state.user} />
      </main>
    </>
  );
}
