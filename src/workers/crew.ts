/** Interface 2, WORKERS: the worker processes: started, replaced when they end by themselves, and stopped together. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answers, type Ask, converse } from '../platform/channel.js';
import type { Logger } from '../platform/logger.js';
import { WORKER_PROGRAM } from '../platform/program-files.js';
import { STOPS } from '../platform/signals.js';
import { type Order, type WorkerAnswers, WorkerEnded } from './messages.js';

/** A worker that has lived so long is replaced at once, one that dies sooner after a pause, each time a longer one: milliseconds. */
const STEADY_MS = 10_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;

export interface Member {
  number: number;
  ask: Ask<WorkerAnswers>;
}

export interface Crew {
  /** Those that live */
  members(): Member[];
  /** Starts one, which from then on is replaced when it ends. @throws {WorkerEnded} where it ends before it serves */
  start(number: number): Promise<void>;
  /** Lets all end by themselves. @throws {WorkerEnded} where one has not ended well */
  stop(delaySeconds: number, hurry: AbortSignal): Promise<void>;
  /** Ends at once those that are left. */
  kill(): Promise<void>;
}

interface Process extends Member {
  child: ChildProcess;
  /** Rejects where there is no such process. */
  exited: Promise<Exit>;
}

type Exit = [code: number | null, signal: NodeJS.Signals | null];

/** A signal that ends all, and was sent to all, ends a worker well, too, that has only begun to load. */
function exitCodeOf([code, signal]: Exit): number {
  return code ?? (signal !== null && STOPS.includes(signal) ? 0 : 1);
}

/**
 * @param answers what workers are answered
 * @param onEnded told of each that has ended
 */
export function createCrew(
  orderOf: (number: number) => Order,
  answers: Answers<object>,
  log: Logger,
  onEnded: (member: Member) => void,
): Crew {
  const processes = new Set<Process>();
  const supervised: Promise<void>[] = [];
  const stopping = new AbortController();
  let isWell = true;

  const launch = (number: number): Process => {
    const stdio: Array<'ignore' | 'inherit' | 'ipc'> = ['ignore', 'inherit', 'inherit', 'ipc'];
    const child = fork(WORKER_PROGRAM, [], { serialization: 'advanced', stdio });
    const exited = once(child, 'exit') as Promise<Exit>;
    const launched = { number, child, exited, ask: converse<WorkerAnswers>(child, answers) };
    processes.add(launched);
    return launched;
  };
  /** @returns when it has ended; how is told where nobody has asked for it */
  const ended = async (launched: Process): Promise<void> => {
    const how = await launched.exited.catch((): Exit => [1, null]);
    processes.delete(launched);
    onEnded(launched);
    const [exit_code, signal] = how;
    if (stopping.signal.aborted) isWell &&= exitCodeOf(how) === 0;
    else log.error({ worker: launched.number, exit_code, signal }, 'a worker has ended and is replaced');
  };
  const supervise = async (first: Process): Promise<void> => {
    let pauseMs = 0;
    for (let launched = first; ; launched = launch(first.number)) {
      const sinceMs = performance.now();
      if (launched !== first) launched.ask('start', orderOf(first.number)).catch(() => undefined); // it ends then
      await ended(launched);
      const isSteady = performance.now() - sinceMs > STEADY_MS;
      pauseMs = isSteady ? 0 : Math.min(Math.max(2 * pauseMs, FIRST_PAUSE_MS), MAX_PAUSE_MS);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
    }
  };
  const kill = (): void => {
    for (const { child } of processes) child.kill('SIGKILL');
  };
  process.once('exit', kill); // where nobody has waited for them

  return {
    members: () => [...processes],
    start: async (number) => {
      const launched = launch(number);
      const endedEarly = launched.exited.then((how) => {
        throw new WorkerEnded(exitCodeOf(how));
      });
      await Promise.race([launched.ask('start', orderOf(number)).catch(() => endedEarly), endedEarly]);
      supervised.push(supervise(launched));
    },
    stop: async (delaySeconds, hurry) => {
      stopping.abort();
      const each = (tell: (member: Member) => Promise<unknown>): void => {
        for (const member of processes) tell(member).catch(() => undefined); // it ends then
      };
      each(({ ask }) => ask('stop', delaySeconds));
      const hurryUp = (): void => each(({ ask }) => ask('hurry', undefined));
      if (hurry.aborted) hurryUp();
      else hurry.addEventListener('abort', hurryUp);
      await Promise.all(supervised);
      if (!isWell) throw new WorkerEnded(1);
    },
    kill: async () => {
      stopping.abort();
      kill();
      await Promise.allSettled([...processes].map(({ exited }) => exited));
    },
  };
}
