/** The former address takes a change of the e-mail back. Nobody has to be logged in. (Interface 21) */
import { useEffect, useRef, useState } from 'preact/hooks';
import { undoEmail } from '../../client/src/account.js';
import { auth } from '../kit/auth.js';
import { Brand } from '../kit/brand.js';
import { problemOf } from '../kit/graphql.js';
import { Heading } from '../kit/heading.js';
import { shownProblem } from '../kit/problem.js';
import { HOST } from '../kit/settings.js';
import { CUT_LINK, linkText } from './link-problem.js';

export function TakeBack({ token }: { token: string | undefined }) {
  const [state, setState] = useState<'open' | 'busy' | 'done'>('open');
  const [problem, setProblem] = useState(token === undefined ? CUT_LINK : '');
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (problem !== '') button.current?.focus(); // it was disabled meanwhile
  }, [problem]);

  if (state === 'done') return <TakenBack />;
  const takeBack = async (): Promise<void> => {
    if (token === undefined) return;
    setState('busy');
    setProblem('');
    try {
      await undoEmail(auth, { token });
      setState('done');
    } catch (error) {
      setProblem(linkText(shownProblem(problemOf(error)), 'undo'));
      setState('open');
    }
  };
  return (
    <main class="alone">
      <Brand />
      <Heading text="Take back your e-mail" />
      <p>
        Somebody has changed the e-mail of your account at {HOST}. If that was you, close this page: the change stays.
      </p>
      <p>If it was not you, take it back. Then</p>
      <ul>
        <li>this address is the e-mail of your account again,</li>
        <li>everybody who is logged in to it is logged out, also you,</li>
        <li>the password, all links and known devices end,</li>
        <li>a message with a link for a new password is sent to this address.</li>
      </ul>
      <p class="error" role="alert">
        {problem}
      </p>
      {token !== undefined && (
        <p>
          <button type="button" class="bad" disabled={state === 'busy'} onClick={takeBack} ref={button}>
            {state === 'busy' ? 'One moment…' : 'Take it back'}
          </button>
        </p>
      )}
    </main>
  );
}

function TakenBack() {
  return (
    <main class="alone">
      <Brand />
      <Heading text="Your e-mail is yours again" />
      <p>Everybody is logged out, and the password has ended.</p>
      <p>
        A message with a link for a new password is on its way to you. Choose one that you use nowhere else. Then look
        at your second factors and sessions.
      </p>
    </main>
  );
}
