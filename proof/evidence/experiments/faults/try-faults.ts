/** Does one fault after the other to a gateway, and asks it everything meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row, Size } from '../../experiment.js';
import type { Answer } from '../../lab/browser.js';
import { brokenOf, createJournal, type Journal, rowsOf } from '../../lab/journal.js';
import type { Lab } from '../../lab/lab.js';
import {
  accessTokenOf,
  askAsBearer,
  askAsCron,
  askSigned,
  change,
  health,
  IS_RIGHT,
  list,
  logInAt,
  type People,
  PROBES,
  type ProbeName,
  sendSpentLogin,
  spendLogins,
} from '../../lab/probes.js';
import { type Expected, type Fault, type Stand, USUALLY } from './fault.js';
import { createJudge, type Judge } from './judge.js';

/** How long a fault lasts: seconds. */
const LASTS = { small: 1, full: 8 };
const PAUSE_MS = 300;
const GIVE_UP_MS = 60_000;
/** Begun for each fault, to be refreshed and ended meanwhile */
const SESSIONS = 9;

type Probes = Record<ProbeName, () => Promise<Answer | 'no answer' | 'nothing to ask'>>;

/**
 * @param of what they are faults of
 * @returns a row for each fault, and what clients were promised over all of them
 */
export async function tryFaults<S extends Stand>(
  lab: Lab,
  size: Size,
  stand: S,
  people: People,
  of: string,
  faults: readonly Fault<S>[],
): Promise<Row[]> {
  const journal = createJournal();
  const rows: Row[] = [];
  const tried = faults.filter(({ small }) => size === 'full' || small);
  if (tried.length === 0) throw new Error('no fault is of this size');
  for (const fault of tried) {
    const row = await tryFault(size, stand, people, journal, fault, fault.seconds ?? LASTS[size]);
    lab.say(`${fault.name}: ${row.violations} of ${row.trials}, ${JSON.stringify(row.figures)}`);
    rows.push(row);
  }
  return [...rows, ...rowsOf(journal.promises, `over faults of ${of}`, tried.length)];
}

async function tryFault<S extends Stand>(
  size: Size,
  stand: S,
  people: People,
  journal: Journal,
  fault: Fault<S>,
  seconds: number,
): Promise<Row> {
  const judge = createJudge(size);
  const brokenBefore = brokenOf(journal.promises);
  await Promise.all(Array.from({ length: SESSIONS }, () => journal.login(stand.instance.url, people.other)));
  await spendLogins(stand.instance.url);
  const adminToken = accessTokenOf(await logInAt(stand.instance.url, people.admin));
  const probes = probesOf(stand, people, adminToken, journal);
  // Every connection that it may have is open.
  await Promise.all(Array.from({ length: 24 }, (_, i) => (i % 4 === 0 ? probes.listing() : probes['cron key']())));
  const countAudit = async (): Promise<number> => {
    const [row] = await stand.db.query<{ count: number }>('select count(*)::integer as count from audit_events');
    return row?.count ?? 0;
  };
  const auditRows = await countAudit();

  journal.mayLoseAnswers = fault.losesAnswers ?? false;
  const end = await fault.begin(stand);
  await askAll(probes, { ...USUALLY, ...fault.expected }, seconds * 1000, judge);
  const complaint = await end();
  if (typeof complaint === 'string') judge.fault(complaint);
  const wellAgain = await untilWell(probes, fault.losesCounts ?? false, judge);
  if (wellAgain === undefined) {
    judge.fault('not well again within a minute');
    await stand.instance.kill();
    await stand.instance.start();
  }
  journal.mayLoseAnswers = false;
  if ((await countAudit()) < auditRows) judge.fault('audit rows are gone');
  await journal.check(stand.instance.url);

  const { answers, answered503, slowest503Ms, late, wrong, overloads, examples } = judge.sum();
  const figures = {
    answered_503: answered503,
    late_503: late,
    ...(overloads > 0 && { overloads }),
    wrong,
    broken_promises: brokenOf(journal.promises) - brokenBefore,
    slowest_503_ms: Math.round(slowest503Ms),
    ...(wellAgain !== undefined && { well_again_s: wellAgain }),
  };
  const what = `late or wrong answers while ${fault.name}`;
  return { what, trials: answers, least: PROBES.length, violations: late + wrong, figures, examples };
}

function probesOf(stand: Stand, people: People, adminToken: string, journal: Journal): Probes {
  const url = (): string => stand.instance.url;
  const asking: Record<ProbeName, () => Promise<Answer | undefined>> = {
    login: () => journal.login(url(), people.user),
    'spent login': () => sendSpentLogin(url(), people),
    refresh: () => journal.refresh(url()),
    logout: () => journal.logout(url()),
    token: () => askAsBearer(url(), adminToken),
    'expired token': () => askAsBearer(url(), people.expired),
    signature: () => askSigned(url(), people),
    'cron key': () => askAsCron(url(), people),
    listing: () => list(url(), adminToken),
    change: () => change(url(), adminToken, people),
    live: () => health(url(), 'live'),
    ready: () => health(url(), 'ready'),
  };
  const probe = (name: ProbeName) => async () => {
    try {
      return (await asking[name]()) ?? 'nothing to ask';
    } catch {
      return 'no answer';
    }
  };
  return Object.fromEntries(PROBES.map((name) => [name, probe(name)])) as Probes;
}

/** Asks everything at once, again and again, for so long; then waits for the last answers. */
async function askAll(probes: Probes, expected: Record<ProbeName, Expected>, lastsMs: number, judge: Judge) {
  const untilMs = performance.now() + lastsMs;
  const statuses = new Map<ProbeName, number[]>(PROBES.map((name) => [name, []]));
  const askAgain = async (name: ProbeName): Promise<void> => {
    do {
      const answer = await probes[name]();
      if (answer !== 'nothing to ask') judge.take(name, answer, expected[name]);
      if (typeof answer === 'object') statuses.get(name)?.push(answer.status);
      await sleep(PAUSE_MS);
    } while (performance.now() < untilMs);
  };
  await Promise.all(PROBES.map(askAgain));
  const [logins = [], ready] = [statuses.get('login'), statuses.get('ready')?.at(-1)];
  if (expected.ready !== 'either') return;
  if (ready === 200 && logins.every((status) => status === 503)) judge.fault('ready: 200 while every login is 503');
  if (ready === 503 && logins.every((status) => status === 200)) judge.fault('ready: 503 while every login is right');
}

/** @returns after how many seconds every answer is right again, without a restart; undefined after a minute */
async function untilWell(probes: Probes, hasLostCounts: boolean, judge: Judge): Promise<number | undefined> {
  const startedMs = performance.now();
  const asked = PROBES.filter((name) => !(hasLostCounts && name === 'spent login'));
  const isWell = async (name: ProbeName): Promise<boolean> => {
    const answer = await probes[name]();
    if (answer === 'nothing to ask') return true;
    judge.take(name, answer, 'either');
    return answer !== 'no answer' && IS_RIGHT[name](answer);
  };
  while (performance.now() - startedMs < GIVE_UP_MS) {
    const round = await Promise.all(asked.map(isWell));
    if (round.every(Boolean)) return (performance.now() - startedMs) / 1000;
    await sleep(PAUSE_MS);
  }
  return undefined;
}
