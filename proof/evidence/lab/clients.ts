/** Honest clients that log in, refresh and log out without a pause, at any of the instances, and keep one journal. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../test/support/until.js';
import { createJournal, type Journal } from './journal.js';

const LOGOUT_SHARE = 0.1;
/** After an outage, before the next try: milliseconds */
const PAUSE_MS = 50;
/** Between two requests, at most, so that at any moment some clients wait for nothing and are sure of their token. */
const THINK_MS = 20;

export interface Clients {
  journal: Journal;
  /** How many requests were acknowledged, and how many answers were an outage or did not come */
  acknowledged(): number;
  lostAnswers(): number;
  /** Answers that are neither of these nor a refused session, each in words */
  unexpected: string[];
  /** From now on nothing excuses a 503, and no answer is lost; or again it does. */
  beCalm(isCalm: boolean): void;
  /** Waits until so many more requests have been acknowledged. */
  work(requests: number): Promise<void>;
  /** Lets what is in flight end, then asks for every session and every token that was logged out; then goes on. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a client for each user. @param urls of the instances, any of which is asked */
export function startClients(urls: readonly string[], emails: readonly string[]): Clients {
  const journal = createJournal(true);
  const anyUrl = (): string => urls[randomInt(urls.length)] ?? '';
  const unexpected: string[] = [];
  let acknowledged = 0;
  let lostAnswers = 0;
  let isPaused = false;
  let isOver = false;
  let busy = 0;

  /** One request; a login if no session is free. */
  const step = async (email: string): Promise<void> => {
    const ofSession = await (Math.random() < LOGOUT_SHARE ? journal.logout(anyUrl()) : journal.refresh(anyUrl()));
    const { status } = ofSession ?? (await journal.login(anyUrl(), email));
    if (status === 200) acknowledged += 1;
    else if (status === 503) throw new Error('an outage');
    else if (status !== 401 || ofSession === undefined) unexpected.push(`answered ${status}`);
  };
  const client = async (email: string): Promise<void> => {
    while (!isOver) {
      if (isPaused) {
        await sleep(5);
        continue;
      }
      busy += 1;
      const isAnswered = await step(email).then(
        () => true,
        () => false,
      );
      busy -= 1;
      if (!isAnswered) lostAnswers += 1;
      await sleep(isAnswered ? Math.random() * THINK_MS : PAUSE_MS);
    }
  };
  const running = Promise.all(emails.map(client));

  return {
    journal,
    acknowledged: () => acknowledged,
    lostAnswers: () => lostAnswers,
    unexpected,
    beCalm: (isCalm) => {
      journal.isCalm = isCalm;
      journal.mayLoseAnswers = !isCalm;
    },
    work: async (requests) => {
      const before = acknowledged;
      await until(`${requests} more requests are acknowledged`, () => acknowledged >= before + requests);
    },
    check: async () => {
      isPaused = true;
      await until('the clients pause', () => busy === 0);
      await journal.check(anyUrl());
      isPaused = false;
    },
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}
