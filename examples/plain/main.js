import { createAuthClient } from 'http://localhost:3000/client.js';

const auth = createAuthClient({ url: 'http://localhost:3000' });
const [status, form, logout, problem] = document.querySelectorAll('#status, #login, #logout, #problem');

function show() {
  const { status: now, user, error } = auth.state();
  form.hidden = now !== 'signed-out';
  logout.hidden = now !== 'signed-in';
  status.textContent = {
    loading: 'One moment',
    'signed-out': 'Logged out',
    'signed-in': `Logged in as ${user?.role}`,
    'signing-out': error ? `Not logged out yet. ${say(error)}` : 'Logging out',
  }[now];
}

/** Runs a request of the person, and says what went wrong. */
async function attempt(request) {
  problem.textContent = '';
  await request().catch((error) => {
    if (auth.state().status !== 'signing-out') problem.textContent = say(error);
  });
}

function say({ detail, retryAfterSeconds }) {
  return retryAfterSeconds ? `${detail}. Next try in ${Math.ceil(retryAfterSeconds / 60)} min.` : `${detail}.`;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  await attempt(() => auth.login(new FormData(form)));
  button.disabled = false;
  form.elements.password.value = '';
});
logout.addEventListener('click', () => attempt(auth.logout));

auth.subscribe(show);
show();
