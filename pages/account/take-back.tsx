/** The former address takes a change of the e-mail back. Nobody has to be logged in. (Interface 21) */
import { useEffect, useRef, useState } from 'preact/hooks';
import { undoEmail } from '../../client/src/account.js';
import { auth } from '../kit/auth.js';
import { Brand } from '../kit/brand.js';
import { MayBeMade, useChange } from '../kit/change.js';
import { problemOf } from '../kit/graphql.js';
import { Heading } from '../kit/heading.js';
import { shownProblem } from '../kit/problem.js';
import { PRODUCT_NAME } from '../kit/settings.js';
import { CUT_LINK, linkText } from './link-problem.js';

export function TakeBack({ token }: { token: string | undefined }) {
  const [state, setState] = useState<'open' | 'busy' | 'dead' | 'done'>(token === undefined ? 'dead' : 'open');
  const [problem, setProblem] = useState(token === undefined ? CUT_LINK : '');
  const change = useChange();
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (problem !== '') (button.current ?? document.querySelector('h1'))?.focus(); // it was disabled meanwhile
  }, [problem]);

  if (state === 'done') return <TakenBack />;
  const takeBack = async (): Promise<void> => {
    if (token === undefined) return;
    setState('busy');
    setProblem('');
    try {
      await change(
        () => undoEmail(auth, { token }).then(() => true),
        async () => undefined, // nobody is logged in to read it
      );
      setState('done');
    } catch (error) {
      const found = shownProblem(problemOf(error));
      const isDead = found.reason === 'link_invalid';
      setProblem(isDead && found instanceof MayBeMade ? MAYBE_DONE : linkText(found, 'undo'));
      setState(isDead ? 'dead' : 'open');
    }
  };
  return (
    <main class="alone">
      <Brand />
      <Heading text="Take back your e-mail" />
      <p>
        Somebody has changed the e-mail of your account at {PRODUCT_NAME}. If that was you, close this page: the change
        stays.
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
      {state !== 'dead' && (
        <p>
          <button type="button" class="bad" disabled={state === 'busy'} onClick={takeBack} ref={button}>
            {state === 'busy' ? 'One moment…' : 'Take it back'}
          </button>
        </p>
      )}
    </main>
  );
}

/** After a lost answer the link is used. */
const MAYBE_DONE =
  'Your attempt whose answer was lost has probably worked. Then everybody is logged out, and a message with a link for a ' +
  'new password is on its way to you. If none comes, ask the administrators of this site.';

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
