/** Acts that make and end links, and what should work after each. (Interface 15) */
import { randomUUID } from 'node:crypto';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { mailPasswordLink } from '../../src/admin/password-links.js';
import { setUserActive, setUserEmail, setUserPassword } from '../../src/admin/user-changes.js';
import { settled } from '../mail/mailing.js';
import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { changePassword, check, forgot, issueLink, redeem } from '../support/gateway/passwords.js';

const RESET_MS = 1_800_000;
const INVITATION_MS = 259_200_000;
const HOUR_MS = 3_600_000;

let gateway: TestGateway;
let printed: string[];

export async function start(): Promise<void> {
  printed = [];
  gateway = await startGateway({ env: { MAIL: 'log' }, outboxPollMs: 10, print: (line) => void printed.push(line) });
}

export const stop = (): Promise<void> => gateway.close();

interface Link {
  token: string;
  /** By the clock of the gateway; 0 once it has ended */
  endsAt: number;
}

/** A person, and which of their links should work. */
interface Model {
  id: string;
  email: string;
  password: string | null;
  issued: Link | undefined;
  requested: Link | undefined;
  /** When a link that was asked for was mailed, since an operator has begun anew */
  mailedAt: number[];
  /** Every link that there was */
  all: Link[];
}

const now = (): number => gateway.clock.now().getTime();
const another = (): string => `a phrase of ${randomUUID()}`;

function remember(model: Model, kind: 'issued' | 'requested', token: string, lifetimeMs: number): void {
  const before = model[kind];
  if (before !== undefined) before.endsAt = 0;
  const link = { token, endsAt: now() + lifetimeMs };
  model[kind] = link;
  model.all.push(link);
}

function endAll(model: Model): void {
  for (const link of model.all) link.endsAt = 0;
}

/** An operator replaces what was asked for too. */
function rememberIssued(model: Model, token: string, lifetimeMs: number): void {
  endAll(model);
  model.mailedAt = [];
  remember(model, 'issued', token, lifetimeMs);
}

/** @returns the tokens of the mails that this causes */
async function mailedBy(act: () => Promise<unknown>): Promise<string[]> {
  printed = [];
  await act();
  await settled(gateway);
  return printed.flatMap((line) => /#token=(pl_\w+)/.exec(line)?.[1] ?? []);
}

async function use(model: Model, link: Link | undefined): Promise<void> {
  if (link === undefined || link.endsAt <= now()) return;
  const chosen = another();
  expect((await redeem(gateway, link.token, chosen)).status).toBe(204);
  model.password = chosen;
  endAll(model);
}

export const ACTS: Record<string, (model: Model) => Promise<void>> = {
  'an operator invites': async (model) =>
    rememberIssued(model, await issueLink(gateway, model.id, 'invitation'), INVITATION_MS),
  'an operator gives out a link': async (model) => rememberIssued(model, await issueLink(gateway, model.id), RESET_MS),
  'an operator has a link mailed': async (model) => {
    const [token = ''] = await mailedBy(() => mailPasswordLink(gateway.app, COMMAND_LINE, model.id, 'invitation'));
    rememberIssued(model, token, INVITATION_MS);
  },
  'somebody asks': async (model) => {
    const tokens = await mailedBy(() => forgot(gateway, model.email));
    model.mailedAt = model.mailedAt.filter((at) => at > now() - HOUR_MS);
    const isMailed = model.mailedAt.length < 3;
    expect(tokens).toHaveLength(isMailed ? 1 : 0);
    if (!isMailed) return;
    model.mailedAt.push(now());
    remember(model, 'requested', tokens[0] ?? '', RESET_MS);
  },
  'the link of the operator is used': (model) => use(model, model.issued),
  'the link that was asked for is used': (model) => use(model, model.requested),
  'the owner changes the password': async (model) => {
    if (model.password === null) return;
    const { answer } = await logIn(gateway, model.email, model.password);
    const chosen = another();
    expect((await changePassword(gateway, answer.json.access_token, chosen, model.password)).status).toBe(200);
    model.password = chosen;
    endAll(model);
  },
  'an operator sets a password': async (model) => {
    model.password = another();
    await setUserPassword(gateway.app, COMMAND_LINE, model.id, model.password);
    endAll(model);
  },
  'an operator deactivates and activates the user': async (model) => {
    await setUserActive(gateway.app, COMMAND_LINE, model.id, false);
    await setUserActive(gateway.app, COMMAND_LINE, model.id, true);
    endAll(model);
    model.mailedAt = [];
  },
  'an operator changes the e-mail': async (model) => {
    model.email = `${randomUUID()}@example.com`;
    await setUserEmail(gateway.app, COMMAND_LINE, model.id, model.email);
    endAll(model);
    model.mailedAt = [];
  },
  '11 minutes pass': async () => gateway.clock.advance(660),
  '31 minutes pass': async () => gateway.clock.advance(1_860),
};

export async function tryInOrder(acts: string[]): Promise<void> {
  const { id, email } = await gateway.user({ password: null });
  const model: Model = { id, email, password: null, issued: undefined, requested: undefined, mailedAt: [], all: [] };
  for (const act of acts) {
    await ACTS[act]?.(model);
    const statuses = [];
    for (const { token } of model.all) statuses.push((await check(gateway, token)).status);
    expect(statuses).toEqual(model.all.map(({ endsAt }) => (endsAt > now() ? 204 : 401)));
  }
  for (const { token, endsAt } of model.all) {
    const status = endsAt > now() ? 204 : 401;
    expect((await redeem(gateway, token, another())).status).toBe(status);
    if (status === 204) endAll(model);
  }
}
