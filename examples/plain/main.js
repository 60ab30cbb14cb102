import { createAuthClient } from 'http://localhost:3000/client.js';

const auth = createAuthClient({ url: 'http://localhost:3000' });
const [status, form, forgot, second, logout, problem] = document.querySelectorAll(
  '#status, #login, #forgot, #second, #logout, #problem',
);

let me;

function show() {
  const { status: now, user, error } = auth.state();
  const isNew = second.hidden;
  const name = me && me.id === user?.sub ? ` as ${me.email}` : '';
  form.hidden = now !== 'signed-out';
  second.hidden = now !== 'second-factor';
  logout.hidden = now !== 'signed-in';
  status.textContent = {
    loading: 'One moment',
    'signed-out': 'Logged out',
    'second-factor': 'One more step',
    'signed-in': `Logged in${name}`,
    'signing-out': error ? `Not logged out yet. ${say(error)}` : 'Logging out',
  }[now];
  if (isNew && !second.hidden) second.elements.code.focus();
}

/** Runs a request of the person, and says what went wrong. */
async function attempt(request) {
  problem.textContent = '';
  await request().catch((error) => {
    if (auth.state().status !== 'signing-out') problem.textContent = say(error);
  });
}

function say({ detail, reason, retryAfterSeconds = 0 }) {
  if (reason === 'account_locked') {
    const end = new Date(Date.now() + retryAfterSeconds * 1000).toLocaleString();
    return `${detail}, until ${end}. A new password by a link unlocks it at once.`;
  }
  return retryAfterSeconds ? `${detail}. Next try in ${Math.ceil(retryAfterSeconds / 60)} min.` : `${detail}.`;
}

/** Sends the form once at a time, and empties the field of the secret. */
function submit(sent, field, request) {
  sent.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = sent.querySelector('button');
    button.disabled = true;
    await attempt(request);
    button.disabled = false;
    field.value = '';
  });
}

const { email, password } = form.elements;
// No server sees what follows #.
email.addEventListener('input', () => {
  forgot.hash = `email=${encodeURIComponent(email.value)}`;
});
const { code } = second.elements;
submit(form, password, () => auth.login(new FormData(form)));
// An app shows six digits; a recovery code is longer.
submit(second, code, () => {
  const text = code.value.replace(/\s/g, '');
  return auth.secondFactor(/^\d{6}$/.test(text) ? { code: text } : { recoveryCode: text });
});
second.querySelector('[type=button]').addEventListener('click', () => {
  problem.textContent = '';
  auth.cancelSecondFactor();
});
logout.addEventListener('click', () => attempt(auth.logout));

auth.on('signed-in', async () => {
  me = await auth.me().catch(() => undefined);
  show();
});
auth.subscribe(show);
show();
