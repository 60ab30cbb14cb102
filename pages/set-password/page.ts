/** The page at `/set-password`: somebody with a password link chooses a password; where mail is sent, others ask for a link. */

import '../kit/theme.js';
import { checkPassword } from '../kit/password-check.js';
import { checkLink } from './check-link.js';
import * as forgot from './forgot.js';
import { type Link, takeFragment } from './fragment.js';
import { redeem } from './redeem.js';
import * as view from './view.js';

const ASK_AGAIN = 'Ask whoever sent you the link for a new one.';

const HAVE_ONE_SENT = 'Enter your e-mail to have a new link sent to you, or ask whoever sent you this one.';

const { link, email, isCut } = takeFragment();
let isSending = false;
/** An answer was lost, after which the password may have been set. */
let mayHaveWorked = false;

function check(): string | undefined {
  const checked = checkPassword(view.password.value, view.email.value);
  view.showCheck(checked);
  return checked.fault;
}

async function send({ token, isInvitation }: Link): Promise<void> {
  if (isSending) return;
  const fault = check();
  view.showFormError('');
  view.showPasswordError(fault ?? '');
  if (fault !== undefined) return;
  isSending = true;
  view.showSending(true);
  const redeemed = await redeem(token, view.password.value);
  isSending = false;
  view.showSending(false);
  if (redeemed.kind === 'done') {
    const ended = isInvitation ? [] : ['Devices that were logged in to your account are logged out.'];
    view.showNotice('Your password is set', 'You can log in now.', ...ended);
    view.showNextStep();
  } else if (redeemed.kind === 'link_invalid') {
    showInvalidLink();
  } else if (redeemed.kind === 'refused') {
    view.showPasswordError(redeemed.text);
  } else {
    mayHaveWorked ||= redeemed.mayHaveWorked;
    view.showFormError(redeemed.text);
  }
}

/** Whatever the answer, the token stays; a dead link is named before anything is typed. */
async function look({ token }: Link): Promise<void> {
  view.showChecking();
  const checked = await checkLink(token);
  if (checked.kind === 'link_invalid') return showInvalidLink();
  view.showForm(checked.kind === 'unchecked' ? checked.text : '');
}

function showInvalidLink(): void {
  const whyNot = 'It was used before, it has expired, or a newer one has replaced it.';
  const tryLogin = mayHaveWorked
    ? ['An earlier attempt may have worked: try to log in with the new password first.']
    : [];
  const askAgain = forgot.isOffered ? HAVE_ONE_SENT : ASK_AGAIN;
  view.showNotice('This link is not valid any more', whyNot, ...tryLogin, askAgain);
  forgot.offer(view.email.value);
}

function showNoLink(): void {
  if (forgot.isOffered && !isCut) {
    view.showNotice(
      forgot.HEADING,
      'Enter your e-mail. If it has an account here, we send you a link for choosing a new password.',
      'If you already have a link, open it again from its message: this page forgets it when it is reloaded.',
    );
  } else {
    view.showNotice(
      'Open your link again',
      'The last part of your link is missing: it was cut off, or this page was reloaded.',
      'Go back to the message and open the link there. It still works unless it was used or has expired.',
      ...(forgot.isOffered ? [HAVE_ONE_SENT] : []),
    );
  }
  forgot.offer(email);
}

// A link that is opened in this tab changes only what follows `#`, and loads nothing by itself.
addEventListener('hashchange', () => location.reload());

if (link === undefined) {
  showNoLink();
} else {
  if (link.isInvitation) view.welcome();
  view.form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(link);
  });
  view.form.addEventListener('input', () => {
    view.showPasswordError('');
    check();
  });
  view.show.addEventListener('click', view.togglePassword);
  view.checkAgain.addEventListener('click', () => void look(link));
  void look(link);
  check(); // a browser may have filled the fields
}
