/** Proofs that changes of the console want: one question for all that ask at once. (Interface 19 and 20) */
import { AuthError } from '../../../client/src/browser.js';
import { confirmed, NOT_CONFIRMED, notConfirmed, ProofWanted, question } from '../../../pages/kit/confirmation.js';
import { Problem } from '../../../pages/kit/problem.js';

/** A change that the gateway makes only after a proof. */
function change(refusal: Error = new ProofWanted('Confirm who you are', false)) {
  const seen = { tries: 0, isProved: false };
  const act = async (): Promise<string> => {
    seen.tries += 1;
    if (!seen.isProved) throw refusal;
    return 'made';
  };
  return { seen, act };
}

const asked = async () => {
  await new Promise(setImmediate);
  const { value } = question;
  if (value === undefined) throw new Error('nothing is asked');
  return value;
};

const refusedByRoute = (needsFactor: boolean) =>
  new AuthError('refused', 401, 'Confirm who you are', undefined, 'confirmation_required', undefined, needsFactor);

test('Interface 20: changes that want a proof at once share one question, and go on by themselves', async () => {
  const changes = [change(), change(refusedByRoute(true))];
  const made = Promise.all(changes.map(({ act }) => confirmed(act)));
  const { close, needsFactor } = await asked();
  expect(needsFactor).toBe(false); // of the first
  for (const { seen } of changes) seen.isProved = true;
  close();
  expect(question.value).toBeUndefined();
  expect(await made).toEqual(['made', 'made']);
  expect(changes.map(({ seen }) => seen.tries)).toEqual([2, 2]);
  close(notConfirmed()); // the dialog goes: too late to change anything
});

test.each([false, true])('Interface 20: a refusal of REST says whether a factor is needed: %s', async (needsFactor) => {
  const { seen, act } = change(refusedByRoute(needsFactor));
  const made = confirmed(act);
  const open = await asked();
  expect(open.needsFactor).toBe(needsFactor);
  seen.isProved = true;
  open.close();
  expect(await made).toBe('made');
});

test('Interface 20: without a proof nothing is tried again, and the next change asks anew', async () => {
  const { seen, act } = change();
  for (const tries of [1, 2]) {
    const made = confirmed(act).catch((error: unknown) => error);
    (await asked()).close(notConfirmed());
    expect(await made).toMatchObject({ reason: NOT_CONFIRMED });
    expect(seen.tries).toBe(tries);
  }
});

test('Interface 20: after one proof a second refusal is an error, and any other error asks nothing', async () => {
  const { act } = change();
  const made = confirmed(act).catch((error: unknown) => error);
  (await asked()).close();
  expect(await made).toBeInstanceOf(ProofWanted);
  const other = new Problem('There is no such user', false, 'user_unknown');
  await expect(confirmed(change(other).act)).rejects.toBe(other);
  expect(question.value).toBeUndefined();
});
