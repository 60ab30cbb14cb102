/** CPU as the kernel counts it (proc(5)): of processes, and of everything else on the machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { withDescendants } from '../evidence/lab/program.js';

/** A tick of /proc is 10 ms wherever Node runs. */
const TICK_MICROS = 10_000;

/** Of these processes and of the children that they have seen end: microseconds. One that has ended counts nothing. */
export function cpuMicros(pids: Iterable<number>): number {
  let micros = 0;
  for (const pid of pids) {
    const [user = 0, system = 0, ...ofChildren] = statOf(pid).slice(11, 15).map(Number);
    const own = microsOfThreads(pid) ?? (user + system) * TICK_MICROS;
    micros += ofChildren.reduce((sum, ticks) => sum + ticks * TICK_MICROS, own);
  }
  return micros;
}

/** The threads in which Node hashes passwords; little else runs there. */
const HASHING = 'libuv-worker\n';

/** Of a process, without those threads: microseconds. @returns undefined if the kernel does not say */
export function microsBesideHashing(pid: number): number | undefined {
  return microsOfThreads(pid, (thread) => readFileSync(`${thread}/comm`, 'utf8') !== HASHING);
}

/**
 * Nanoseconds of each thread: the ticks of twenty processes, each rounded down, would be a tenth of a short slice.
 * Threads that have ended are missing; those of the gateway and of PostgreSQL stay.
 * @returns undefined if the kernel does not say, or if the process has ended
 */
function microsOfThreads(pid: number, isCounted: (thread: string) => boolean = () => true): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}`);
    const nanos = threads
      .filter(isCounted)
      .map((thread) => Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]));
    return nanos.reduce((sum, each) => sum + each, 0) / 1000;
  } catch {
    return undefined;
  }
}

/** The fields of `/proc/PID/stat` from the third on: the second is a name in brackets that may hold anything. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** Watches who else uses the machine. @param postmaster of a PostgreSQL that this process may not have started */
export function watchStrangers(postmaster: number | undefined): { share(): number } {
  const look = () => {
    const ours = new Set([process.pid, ...(postmaster === undefined ? [] : [postmaster])].flatMap(withDescendants));
    return { ms: performance.now(), ours: cpuMicros(ours), all: busyMicros() };
  };
  const before = look();
  return {
    /** Since then, of all that the cores could have done */
    share: () => {
      const now = look();
      const theirs = now.all - before.all - (now.ours - before.ours);
      return Math.max(0, theirs / ((now.ms - before.ms) * 1000 * cpus().length));
    },
  };
}

/** All cores: processes, and what the host has taken away. Interrupts are nobody's. */
function busyMicros(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + steal) * TICK_MICROS;
}
