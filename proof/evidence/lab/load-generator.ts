/**
 * A process of its own, so that what it measures is not its own work: sends logins at a fixed rate, whether they are
 * answered or not, and at the same time one request after the other of each other kind. Reads a `Load` from standard input and
 * writes `Answers` to standard output.
 */
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, ask, login, refresh } from './browser.js';
import { askAs } from './callers.js';

export interface Load {
  url: string;
  seconds: number;
  loginsPerSecond: number;
  emails: string[];
  password: string;
  refreshToken: string;
  accessToken: string;
}

/** Status (0: no answer) and milliseconds */
export type Measured = [status: number, ms: number];

export interface Answers extends Record<'login' | 'refresh' | 'caller' | 'health', Measured[]> {
  /** From the last login that was sent to the last answer */
  drainSeconds: number;
}

/** Every tenth login has a wrong password. */
const WRONG_EVERY = 10;
/** Between two requests that are not logins: milliseconds */
const BETWEEN_MS = 20;
const TICK_MS = 10;

const load = JSON.parse(await text(process.stdin)) as Load;
const { url, emails, password } = load;
const answers: Answers = { login: [], refresh: [], caller: [], health: [], drainSeconds: 0 };
const startedMs = performance.now();
const elapsedSeconds = (): number => (performance.now() - startedMs) / 1000;

async function keep(
  kind: Exclude<keyof Answers, 'drainSeconds'>,
  request: Promise<Answer>,
): Promise<Answer | undefined> {
  const sentMs = performance.now();
  const answer = await request.catch(() => undefined);
  answers[kind].push([answer?.status ?? 0, answer?.ms ?? performance.now() - sentMs]);
  return answer;
}

async function sendLogins(): Promise<void> {
  const inFlight: Array<Promise<unknown>> = [];
  while (elapsedSeconds() < load.seconds) {
    while (inFlight.length < elapsedSeconds() * load.loginsPerSecond) {
      const number = inFlight.length;
      const given = number % WRONG_EVERY === 0 ? 'not the password at all' : password;
      inFlight.push(keep('login', login(url, emails[number % emails.length] ?? '', given)));
    }
    await sleep(TICK_MS);
  }
  await Promise.all(inFlight);
  answers.drainSeconds = elapsedSeconds() - load.seconds;
}

async function oneAfterTheOther(request: () => Promise<unknown>): Promise<void> {
  while (elapsedSeconds() < load.seconds) {
    await request();
    await sleep(BETWEEN_MS);
  }
}

let token = load.refreshToken;
await Promise.all([
  sendLogins(),
  oneAfterTheOther(async () => {
    token = (await keep('refresh', refresh(url, token)))?.cookie || token;
  }),
  oneAfterTheOther(() => keep('caller', askAs(url, { authorization: `Bearer ${load.accessToken}` }))),
  oneAfterTheOther(() => keep('health', ask(url, '/health/ready', { method: 'GET' }))),
]);
process.stdout.write(JSON.stringify(answers));
