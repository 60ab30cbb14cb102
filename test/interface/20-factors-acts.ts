/** Acts of a user, of strangers and of operators, each with the answer that it should have and the change that it makes. (Interface 20) */
import { randomUUID } from 'node:crypto';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { resetFactors } from '../../src/admin/factors.js';
import { setUserActive, setUserPassword, unlockUser } from '../../src/admin/user-changes.js';
import {
  codeAt,
  confirm,
  confirmByPasskey,
  finishByPasskey,
  finishLogin,
  logInByPasskey,
  post,
  removeFactor,
  wrongCode,
} from '../support/gateway/factors.js';
import { type Answer, refreshTokenOf } from '../support/gateway/gateway.js';
import { changePassword, issueLink, redeem } from '../support/gateway/passwords.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { SoftwareAuthenticator } from '../support/independent/passkeys/software-authenticator.js';
import {
  came,
  type Expected,
  endFactors,
  endHalfLogins,
  endSessions,
  enter,
  expectClaims,
  expectedOf,
  fail,
  gateway,
  giveCodes,
  HALF_LOGIN_MS,
  type HalfLogin,
  halfLoginOf,
  hasFactors,
  isAlive,
  isLocked,
  joined,
  LOCKED,
  type Model,
  NEW_APP_MS,
  NO_CHALLENGE,
  newModel,
  now,
  ofSession,
  on,
  pickOf,
  prove,
  STEP_MS,
  setNewPassword,
  stored,
  takeStep,
  tokenOf,
  WRONG_FACTOR,
  WRONG_LOGIN,
} from './20-factors-model.js';

type Act = (model: Model, pick: number) => Promise<[Answer | undefined, Expected | undefined]>;
const nothing: [undefined, undefined] = [undefined, undefined];

/** The second step of a login by something that counts. @param present whether it is right, if it is looked at */
async function finish(
  model: Model,
  pick: number,
  present: () => { proof: object; isRight: boolean },
): Promise<[Answer, Expected]> {
  const half = halfLoginOf(model, pick);
  const { proof, isRight } = present();
  const answer = await finishLogin(on(), half.challenge, proof);
  if (!isAlive(model, half)) return [answer, NO_CHALLENGE];
  if (isLocked(model)) return [answer, LOCKED];
  if (!isRight) return [answer, fail(model, WRONG_LOGIN)];
  half.endsAt = 0;
  return [answer, enter(model, answer, joined('pwd', 'otp', 'mfa'))];
}

/** Whether a code would be looked at: a step is used up only then. */
const isLookedAt = (model: Model, half: HalfLogin): boolean => isAlive(model, half) && !isLocked(model);

function codeFor(model: Model, pick: number, ago: number) {
  return () => {
    const half = halfLoginOf(model, pick);
    if (!isLookedAt(model, half)) return { proof: { code: codeAt('A'.repeat(32), new Date(now())) }, isRight: false };
    const { code, isRight } = takeStep(model, ago);
    return { proof: { code }, isRight };
  };
}

const ofLogin: Record<string, Act> = {
  'a login': async (model) => {
    const answer = await login(on(), model.email, model.password);
    if (!model.isActive) return [answer, WRONG_LOGIN];
    if (isLocked(model)) return [answer, LOCKED];
    if (!hasFactors(model)) return [answer, enter(model, answer, ['pwd'])];
    const { challenge, factors } = answer.json;
    expect(factors).toEqual([
      ...(model.app === undefined ? [] : ['totp']),
      ...(model.passkeys.length === 0 ? [] : ['passkey']),
      ...(model.recoveryCodes.length === 0 ? [] : ['recovery_code']),
    ]);
    model.halfLogins.push({ challenge, endsAt: now() + HALF_LOGIN_MS });
    return [answer, '401 second_factor_required'];
  },
  'a wrong password': async (model) => {
    const answer = await login(on(), model.email, WRONG);
    if (!model.isActive) return [answer, WRONG_LOGIN];
    return [answer, isLocked(model) ? LOCKED : fail(model, WRONG_LOGIN)];
  },
  'the right code': (model, pick) => finish(model, pick, codeFor(model, pick, 0)),
  'the code before': (model, pick) => finish(model, pick, codeFor(model, pick, 1)),
  'a code of a minute ago': (model, pick) => finish(model, pick, codeFor(model, pick, 2)),
  'a wrong code': (model, pick) =>
    finish(model, pick, () => ({
      proof: { code: wrongCode(model.app?.secret ?? 'A'.repeat(32), new Date(now())) },
      isRight: false,
    })),
  'a recovery code': (model, pick) =>
    finish(model, pick, () => {
      const isOpen = isLookedAt(model, halfLoginOf(model, pick));
      const recovery_code = model.recoveryCodes[0];
      if (recovery_code !== undefined && isOpen) model.gone.recoveryCodes.push(...model.recoveryCodes.splice(0, 1));
      return { proof: { recovery_code: recovery_code ?? 'none' }, isRight: recovery_code !== undefined };
    }),
  'an ended recovery code': (model, pick) =>
    finish(model, pick, () => ({
      proof: { recovery_code: pickOf(model.gone.recoveryCodes, pick) ?? 'none' },
      isRight: false,
    })),
  'a passkey alone': async (model, pick) => {
    const all = [...model.passkeys, ...model.gone.passkeys];
    const passkey = pickOf(all, pick);
    if (passkey === undefined) return nothing;
    const answer = await logInByPasskey(on(), passkey.authenticator);
    if (!model.isActive || !model.passkeys.includes(passkey)) return [answer, WRONG_LOGIN];
    return [answer, isLocked(model) ? LOCKED : enter(model, answer, joined('hwk', 'user', 'mfa'))];
  },
  'a passkey as a second step': async (model, pick) => {
    const half = halfLoginOf(model, pick);
    const passkey = pickOf(model.passkeys, pick);
    const { challenge } = half;
    if (!isAlive(model, half)) return [await post(on(), 'login/passkey/options', { challenge }), NO_CHALLENGE];
    if (passkey === undefined) return nothing;
    const answer = await finishByPasskey(on(), challenge, passkey.authenticator);
    if (isLocked(model)) return [answer, LOCKED];
    half.endsAt = 0;
    return [answer, enter(model, answer, joined('pwd', 'hwk', 'user', 'mfa'))];
  },
  'the right code at two instances at once': async (model, pick) => {
    const half = halfLoginOf(model, pick);
    if (!isLookedAt(model, half)) return nothing;
    const { code, isRight } = takeStep(model, 0);
    if (!isRight) return nothing;
    const answers = await Promise.all(gateway.instances.map((each) => finishLogin(each, half.challenge, { code })));
    const winner = answers.find(({ status }) => status === 200);
    expect(answers.map(came).sort()).toEqual(['200', NO_CHALLENGE]);
    half.endsAt = 0;
    return winner === undefined ? nothing : [winner, enter(model, winner, joined('pwd', 'otp', 'mfa'))];
  },
};

const ofSessions: Record<string, Act> = {
  'a refresh': async ({ sessions }, pick) => {
    const session = pickOf(sessions, pick);
    if (session === undefined) return nothing;
    const answer = await refresh(on(), session.refreshToken);
    if (!session.isLive) return [answer, '401 record_revoked'];
    session.accessToken = answer.json.access_token;
    session.refreshToken = refreshTokenOf(answer) ?? '';
    expectClaims(session);
    return [answer, '200'];
  },
  'a confirmation by password': async (model, pick) => {
    const session = pickOf(model.sessions, pick);
    const answer = await confirm(on(), tokenOf(session), { password: model.password });
    const refusal = ofSession(model, session, false);
    if (refusal !== undefined || session === undefined) return [answer, refusal];
    if (hasFactors(model)) return [answer, '403 second_factor_required'];
    return [answer, isLocked(model) ? LOCKED : prove(session, answer, ['pwd'])];
  },
  'a confirmation by a wrong password': async (model, pick) => {
    const session = pickOf(model.sessions, pick);
    const answer = await confirm(on(), tokenOf(session), { password: WRONG });
    const refusal = ofSession(model, session, false);
    if (refusal !== undefined) return [answer, refusal];
    if (hasFactors(model)) return [answer, '403 second_factor_required'];
    return [answer, isLocked(model) ? LOCKED : fail(model, WRONG_FACTOR)];
  },
  'a confirmation by code': async (model, pick) => {
    const session = pickOf(model.sessions, pick);
    const refusal = ofSession(model, session, false) ?? (isLocked(model) ? LOCKED : undefined);
    if (refusal !== undefined) return [await confirm(on(), tokenOf(session), { code: '000000' }), refusal];
    const { code, isRight } = takeStep(model, 0);
    const answer = await confirm(on(), tokenOf(session), { code });
    if (!isRight || session === undefined) return [answer, fail(model, WRONG_FACTOR)];
    return [answer, prove(session, answer, joined(...session.methods, 'otp', 'mfa'))];
  },
  'a confirmation by a passkey': async (model, pick) => {
    const session = pickOf(model.sessions, pick);
    const refusal = ofSession(model, session, false);
    const options = () => post(on(), 'confirm/options', {}, tokenOf(session));
    if (refusal !== undefined || session === undefined) return [await options(), refusal];
    const passkey = pickOf(model.passkeys, pick);
    if (passkey === undefined) return [await options(), '404 factor_unknown'];
    const answer = await confirmByPasskey(on(), tokenOf(session), passkey.authenticator);
    if (isLocked(model)) return [answer, LOCKED];
    return [answer, prove(session, answer, joined(...session.methods, 'hwk', 'user', 'mfa'))];
  },
};

const ofFactors: Record<string, Act> = {
  'a new app is begun': async (model, pick) => {
    const session = pickOf(model.sessions, pick);
    const answer = await post(on(), 'factors/totp', {}, tokenOf(session));
    const refusal = ofSession(model, session, true);
    if (refusal !== undefined || session === undefined) return [answer, refusal];
    if (model.app !== undefined) return [answer, '409 totp_exists'];
    const { id, secret } = answer.json;
    model.newApp = { id, secret, session, endsAt: now() + NEW_APP_MS };
    return [answer, '200'];
  },
  'a new app is added': async (model, pick) => {
    const session = pickOf(model.sessions, pick);
    const { newApp } = model;
    const code = codeAt(newApp?.secret ?? 'A'.repeat(32), new Date(now()));
    const answer = await post(on(), `factors/totp/${newApp?.id ?? randomUUID()}`, { code }, tokenOf(session));
    const refusal = ofSession(model, session, false);
    if (refusal !== undefined || session === undefined) return [answer, refusal];
    if (newApp === undefined || newApp.session !== session || newApp.endsAt <= now()) return [answer, NO_CHALLENGE];
    const { id, secret } = newApp;
    giveCodes(model, !hasFactors(model), answer.json.recovery_codes);
    model.app = { id, secret, lastStep: Math.floor(now() / STEP_MS) };
    model.newApp = undefined;
    return [answer, prove(session, undefined, joined(...session.methods, 'otp', 'mfa'))];
  },
  'a passkey is added': async (model, pick) => {
    const session = pickOf(model.sessions, pick);
    const options = await post(on(), 'factors/passkey/options', {}, tokenOf(session));
    const refusal = ofSession(model, session, true);
    if (refusal !== undefined || session === undefined) return [options, refusal];
    const { ceremony, publicKey } = options.json;
    const authenticator = new SoftwareAuthenticator({ rpId: 'localhost', origin: gateway.config.publicUrl });
    const body = { ceremony, credential: authenticator.create(publicKey), name: 'Key' };
    const answer = await post(on(), 'factors/passkey', body, tokenOf(session));
    giveCodes(model, !hasFactors(model), answer.json.recovery_codes);
    model.passkeys.push({ id: answer.json.id, authenticator });
    return [answer, prove(session, undefined, joined(...session.methods, 'hwk', 'user', 'mfa'))];
  },
  'a factor is removed': async (model, pick) => {
    const session = pickOf(model.sessions, pick);
    const own = [...(model.app === undefined ? [] : [model.app.id]), ...model.passkeys.map(({ id }) => id)];
    const gone = [...model.gone.apps, ...model.gone.passkeys.map(({ id }) => id)];
    const id = pickOf([...own, ...gone], pick) ?? randomUUID();
    const answer = await removeFactor(on(), tokenOf(session), id);
    const refusal = ofSession(model, session, true);
    if (refusal !== undefined) return [answer, refusal];
    if (!own.includes(id)) return [answer, '404 factor_unknown'];
    if (own.length === 1) endFactors(model);
    else if (model.app?.id === id) {
      model.gone.apps.push(id);
      model.app = undefined;
    } else {
      model.gone.passkeys.push(...model.passkeys.filter((passkey) => passkey.id === id));
      model.passkeys = model.passkeys.filter((passkey) => passkey.id !== id);
    }
    return [answer, '204'];
  },
  'recovery codes are renewed': async (model, pick) => {
    const session = pickOf(model.sessions, pick);
    const answer = await post(on(), 'factors/recovery-codes', {}, tokenOf(session));
    const refusal = ofSession(model, session, true);
    if (refusal !== undefined) return [answer, refusal];
    if (!hasFactors(model)) return [answer, '404 factor_unknown'];
    model.gone.recoveryCodes.push(...model.recoveryCodes);
    model.recoveryCodes = answer.json.recovery_codes;
    return [answer, '200'];
  },
};

const another = (): string => `a phrase of ${randomUUID()}`;

const endings: Record<string, Act> = {
  'a theft': async ({ sessions }, pick) => {
    const session = pickOf(sessions, pick);
    if (session === undefined || !session.isLive) return nothing;
    await refresh(on(), session.refreshToken);
    session.isLive = false;
    return [await refresh(on(), session.refreshToken), '401 record_revoked'];
  },
  'a logout': async ({ sessions }, pick) => {
    const session = pickOf(sessions, pick);
    if (session === undefined) return nothing;
    session.isLive = false;
    return [await logout(on(), session.refreshToken), '200'];
  },
  'a reset of the factors': async (model) => {
    await resetFactors(gateway.app, COMMAND_LINE, model.id);
    if (hasFactors(model)) endSessions(model);
    endFactors(model);
    return nothing;
  },
  'a deactivation': async (model) => {
    model.isActive = false;
    await setUserActive(gateway.app, COMMAND_LINE, model.id, false);
    endSessions(model);
    endHalfLogins(model);
    return nothing;
  },
  'a reset link': async (model) => {
    if (!model.isActive) return nothing;
    const chosen = another();
    const answer = await redeem(on(), await issueLink(gateway, model.id), chosen);
    model.password = chosen;
    endSessions(model);
    setNewPassword(model, true);
    return [answer, '204'];
  },
  'an own change of the password': async (model, pick) => {
    const session = pickOf(model.sessions, pick);
    if (session === undefined || !session.isLive || !model.isActive) return nothing;
    const chosen = another();
    const answer = await changePassword(on(), session.accessToken, chosen, model.password);
    if (isLocked(model)) return [answer, LOCKED];
    model.password = chosen;
    endSessions(model, session);
    setNewPassword(model, true);
    return [answer, '200'];
  },
  "an operator's password": async (model) => {
    model.password = another();
    await setUserPassword(gateway.app, COMMAND_LINE, model.id, model.password);
    endSessions(model);
    setNewPassword(model, false);
    return nothing;
  },
};

const pass =
  (seconds: number): Act =>
  async () => {
    gateway.clock.advance(seconds);
    return nothing;
  };

const ofOthers: Record<string, Act> = {
  'an activation': async (model) => {
    model.isActive = true;
    await setUserActive(gateway.app, COMMAND_LINE, model.id, true);
    return nothing;
  },
  'an operator unlocks': async (model) => {
    await unlockUser(gateway.app, COMMAND_LINE, model.id);
    model.failures = 0;
    model.lockedUntil = 0;
    return nothing;
  },
  '31 seconds pass': pass(31),
  '2 minutes pass': pass(120),
  '5 minutes pass': pass(301),
  '16 minutes pass': pass(960),
};

const ACTS: Record<string, Act> = { ...ofLogin, ...ofSessions, ...ofFactors, ...endings, ...ofOthers };

/** Acts by how often they are drawn: one that ends sessions and factors is rare, so that there is something to end. */
export const DRAWN: Array<{ weight: number; acts: string[] }> = [
  { weight: 4, acts: ['a login', 'the right code', 'a passkey as a second step'] },
  { weight: 5, acts: Object.keys(ofLogin) },
  { weight: 3, acts: Object.keys(ofSessions) },
  { weight: 3, acts: Object.keys(ofFactors) },
  { weight: 1, acts: Object.keys(endings) },
  { weight: 2, acts: Object.keys(ofOthers) },
];

export interface Step {
  act: string;
  /** Which session, half login or factor; 0 is the newest */
  pick: number;
}

/** Performs the acts, and expects of each its answer, and afterwards the tables as the model has them. */
export async function tryInOrder(steps: readonly Step[]): Promise<void> {
  const model = await newModel();
  for (const { act, pick } of steps) {
    const [answer, expected] = (await ACTS[act]?.(model, pick)) ?? nothing;
    if (answer !== undefined) expect([act, came(answer)]).toEqual([act, expected]);
    expect([act, await stored(model.id)]).toEqual([act, expectedOf(model)]);
  }
}
