/** Acts of two users, of mailboxes and of operators, each with the answer that it should have. (Interface 21) */
import { randomUUID } from 'node:crypto';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { createUser, deleteUser, setUserActive, setUserEmail, setUserPassword } from '../../src/admin/user-changes.js';
import { redeemEmail, requestEmail, undoEmail, waitingToken } from '../support/gateway/account.js';
import type { Answer } from '../support/gateway/gateway.js';
import { changePassword, issueLink, redeem } from '../support/gateway/passwords.js';
import { login } from '../support/gateway/routes.js';
import {
  beginChange,
  came,
  completeChange,
  DEAD,
  type Expected,
  endLinks,
  enter,
  expectedOf,
  gateway,
  isTaken,
  type Model,
  newModel,
  on,
  type Person,
  pendingBy,
  refusalOf,
  stolen,
  stored,
  TAKEN,
  takeBack,
  wayBackBy,
} from './21-emails-model.js';

export interface Step {
  act: string;
  /** Which of the two users */
  who: number;
  /** Which address or link; of links, 0 is the newest */
  pick: number;
}

type Outcome = [Answer | Expected, Expected] | undefined;
type Act = (person: Person, model: Model, pick: number) => Promise<Outcome>;

const another = (): string => `a phrase of ${randomUUID()}`;
const tokenOf = ({ session }: Person): string => session?.accessToken ?? 'unknown';
const pickOf = <Item>(items: readonly Item[], pick: number): Item | undefined => items[pick % items.length];

/** What an operator's change comes to */
const tried = (change: Promise<unknown>): Promise<Expected> =>
  change.then(
    () => 'done',
    (error: { reason?: string }) => `409 ${error.reason}`,
  );

async function request(person: Person, model: Model, pick: number): Promise<Outcome> {
  const email = pickOf(model.addresses, pick) ?? '';
  const answer = await requestEmail(on(), tokenOf(person), email);
  const refusal = refusalOf(person, true);
  if (refusal !== undefined) return [answer, refusal];
  const token = await waitingToken(gateway, 'change', person.id);
  model.tokens.unshift(token);
  beginChange(person, email, token);
  return [answer, '202'];
}

async function redeemLink(person: Person, model: Model, token: string): Promise<Outcome> {
  const answer = await redeemEmail(on(), tokenOf(person), token);
  const refusal = refusalOf(person, false);
  if (refusal !== undefined) return [answer, refusal];
  const pending = pendingBy(person, token);
  if (pending === undefined) return [answer, DEAD];
  if (pending.email === person.email || isTaken(model, pending.email, person)) return [answer, TAKEN];
  const wayBack = await waitingToken(gateway, 'undo', person.id);
  model.tokens.unshift(wayBack);
  completeChange(person, pending.email, wayBack);
  return [answer, '200'];
}

async function undo(model: Model, token: string): Promise<Outcome> {
  const found = wayBackBy(model, token);
  const answer = await undoEmail(on(), token);
  if (found === undefined) return [answer, DEAD];
  expect(isTaken(model, found.link.email, found.person)).toBe(false);
  takeBack(found.person, found.link);
  return [answer, '204'];
}

const ofChanges: Record<string, Act> = {
  'a request': request,
  'a request again': request,
  'the newest link is used': (person, model) => redeemLink(person, model, person.pending?.token ?? 'el_x'),
  'any link is used': (person, model, pick) => redeemLink(person, model, pickOf(model.tokens, pick) ?? 'el_x'),
  'the newest way back': ({ waysBack }, model) => undo(model, waysBack.at(-1)?.token ?? 'eu_x'),
  'any link as a way back': (_person, model, pick) => undo(model, pickOf(model.tokens, pick) ?? 'eu_x'),
};

const ofPasswords: Record<string, Act> = {
  'a reset link': async (person) => {
    if (!person.isActive) return undefined;
    const chosen = another();
    const answer = await redeem(on(), await issueLink(gateway, person.id), chosen);
    Object.assign(person, { password: chosen, pending: undefined, session: undefined });
    return [answer, '204'];
  },
  'an own change of the password': async (person) => {
    if (refusalOf(person, false) !== undefined) return undefined;
    const chosen = another();
    const answer = await changePassword(on(), tokenOf(person), chosen, person.password);
    Object.assign(person, { password: chosen, pending: undefined });
    return [answer, '200'];
  },
  "an operator's password": async (person) => {
    const chosen = another();
    await setUserPassword(on().app, COMMAND_LINE, person.id, chosen);
    Object.assign(person, { password: chosen, pending: undefined, session: undefined });
    return undefined;
  },
};

const ofOperators: Record<string, Act> = {
  "an operator's change of the e-mail": async (person, model, pick) => {
    const email = pickOf(model.addresses, pick) ?? '';
    const outcome = await tried(setUserEmail(on().app, COMMAND_LINE, person.id, email));
    if (email === person.email) return [outcome, 'done'];
    if (isTaken(model, email, person)) return [outcome, TAKEN];
    endLinks(person);
    person.email = email;
    return [outcome, 'done'];
  },
  'a new user, who leaves again': async (_person, model, pick) => {
    const email = pickOf(model.addresses, pick) ?? '';
    const outcome = await tried(
      createUser(on().app, COMMAND_LINE, { email, password: null, role: 'viewer' }).then(({ id }) =>
        deleteUser(on().app, COMMAND_LINE, id),
      ),
    );
    return [outcome, isTaken(model, email) ? TAKEN : 'done'];
  },
  'a deactivation': async (person) => {
    await setUserActive(on().app, COMMAND_LINE, person.id, false);
    if (!person.isActive) return undefined;
    endLinks(person);
    Object.assign(person, { isActive: false, session: undefined });
    return undefined;
  },
  'an activation': async (person) => {
    await setUserActive(on().app, COMMAND_LINE, person.id, true);
    person.isActive = true;
    return undefined;
  },
};

const pass =
  (seconds: number): Act =>
  async () => {
    gateway.clock.advance(seconds);
    return undefined;
  };

const ofTime: Record<string, Act> = {
  '5 minutes pass': pass(301),
  '31 minutes pass': pass(1_860),
  'a day passes': pass(86_400),
  '73 hours pass': pass(262_800),
};

const ofLogins: Record<string, Act> = {
  'a login': async (person) => {
    if (person.password === undefined) return undefined;
    const answer = await login(on(), person.email, person.password);
    if (!person.isActive) return [answer, '401 invalid_credentials'];
    enter(person, answer);
    return [answer, '200'];
  },
};

const ACTS: Record<string, Act> = { ...ofLogins, ...ofChanges, ...ofPasswords, ...ofOperators, ...ofTime };

/** Acts by how often they are drawn */
export const DRAWN: Array<{ weight: number; acts: string[] }> = [
  { weight: 5, acts: ['a login', 'a request', 'the newest link is used'] },
  { weight: 5, acts: Object.keys(ofChanges) },
  { weight: 1, acts: Object.keys(ofPasswords) },
  { weight: 2, acts: Object.keys(ofOperators) },
  { weight: 1, acts: Object.keys(ofTime) },
];

/**
 * Performs the acts, and expects of each its answer, and afterwards the tables as the model has them. A second passes with each,
 * so that ways back have an order.
 */
export async function tryInOrder(steps: readonly Step[]): Promise<void> {
  const model = await newModel();
  for (const { act, who, pick } of steps) {
    gateway.clock.advance(1);
    const person = model.people[who % 2];
    const outcome = person && (await ACTS[act]?.(person, model, pick));
    if (outcome !== undefined) {
      const [answer, expected] = outcome;
      expect([act, typeof answer === 'string' ? answer : came(answer)]).toEqual([act, expected]);
    }
    expect([act, await stored(model), await stolen()]).toEqual([act, expectedOf(model), []]);
  }
}
