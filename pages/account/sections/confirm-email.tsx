/** The link to a new address was opened: a button makes the change. (Interface 21) */
import { useEffect, useRef, useState } from 'preact/hooks';
import { redeemEmail } from '../../../client/src/account.js';
import type { Me } from '../../../client/src/browser.js';
import { announce } from '../../kit/announce.js';
import { auth } from '../../kit/auth.js';
import { useChange } from '../../kit/change.js';
import { confirmed } from '../../kit/confirmation.js';
import { Foreign } from '../../kit/foreign.js';
import { problemOf } from '../../kit/graphql.js';
import { readAgain, useMe, usePendingEmail } from '../../kit/own/own.js';
import { shownProblem } from '../../kit/problem.js';
import { goTo } from '../anchor.js';
import { link } from '../link.js';
import { CUT_LINK, linkText } from '../link-problem.js';

const ID = 'confirm';

export function ConfirmEmail() {
  const opened = link.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each link that is opened
  useEffect(() => {
    if (opened !== undefined) goTo(ID);
  }, [opened]);
  return opened === undefined ? null : <Confirm key={opened} token={opened.token} />;
}

function Confirm({ token }: { token: string | undefined }) {
  const { data: me } = useMe();
  const { data: pending } = usePendingEmail();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState(token === undefined ? CUT_LINK : '');
  const [isDead, setDead] = useState(token === undefined);
  const change = useChange();
  const before = useRef<string>();
  before.current ??= me?.email;
  const button = useRef<HTMLButtonElement>(null);
  const other = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (problem !== '') (button.current ?? other.current)?.focus(); // it was disabled meanwhile
  }, [problem]);

  const close = (): void => {
    link.value = undefined;
    goTo('email'); // what had the focus goes
  };
  const done = (email: string): void => {
    announce(`Your e-mail is ${email} now.`);
    close();
  };
  // After a lost answer it is read until there is one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another e-mail
  useEffect(() => {
    if (me !== undefined && me.email !== before.current) done(me.email);
  }, [me?.email]);
  const findChanged = async (): Promise<Me | undefined> => {
    const now = await auth.me();
    return before.current === undefined || now.email === before.current ? undefined : now;
  };
  const confirm = async (): Promise<void> => {
    if (token === undefined) return;
    setBusy(true);
    setProblem('');
    try {
      const { email } = await change(() => confirmed(() => redeemEmail(auth, { token })), findChanged);
      done(email);
      readAgain();
    } catch (error) {
      const found = shownProblem(problemOf(error));
      setProblem(linkText(found, 'email'));
      if (found.reason === 'link_invalid') setDead(true);
    } finally {
      setBusy(false);
    }
  };
  const next = pending?.pendingEmail;
  return (
    <section class="notice" id={ID} aria-labelledby="confirm-email">
      <h2 id="confirm-email">Confirm your new e-mail</h2>
      {!isDead && (
        <p>
          {next == null ? (
            'The address that got the link becomes your e-mail.'
          ) : (
            <>
              Your e-mail becomes <Foreign text={next} />.
            </>
          )}{' '}
          You then log in with it
          {me !== undefined && (
            <>
              {' '}
              in place of <Foreign text={me.email} />
            </>
          )}
          .
        </p>
      )}
      <p class="error" role="alert">
        {problem}
      </p>
      <div class="row-actions">
        {!isDead && (
          <button type="button" class="main" disabled={isBusy} onClick={confirm} ref={button}>
            {isBusy ? 'One moment…' : 'Confirm this e-mail'}
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={close} ref={other}>
          {isDead ? 'Close' : 'Not now'}
        </button>
      </div>
    </section>
  );
}
