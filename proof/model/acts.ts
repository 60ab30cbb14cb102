/** What happens in a schedule: what a user does, what a browser and its network do, and what a thief does. */
import fc from 'fast-check';
import { CUT_OFF_MS } from '../../client/src/refresh.js';
import { type Fault, faults } from './faults.js';

export type Act =
  | { kind: 'open'; asks: number }
  | { kind: 'close'; tab: number }
  | { kind: 'reload'; tab: number; asks: number }
  /** Somebody reloads again and again, while the answer to the first refresh is on its way */
  | { kind: 'hammer'; tab: number; backMs: number; times: number; everyMs: number }
  | { kind: 'ask'; tab: number }
  /** A request to an API of the page's own origin, which may find no favour there though the token is good */
  | { kind: 'call'; tab: number; isRefused: boolean }
  | { kind: 'login'; tab: number; user: number }
  | { kind: 'logout'; tab: number }
  /** The right password of somebody whose login wants a second factor, which follows after a while or not at all */
  | { kind: 'half'; tab: number; secondMs: number | undefined }
  /** The second factor, in a page that waits for one */
  | { kind: 'second'; tab: number; isRight: boolean }
  | { kind: 'cancel'; tab: number }
  /** The password again, in the session that there is */
  | { kind: 'confirm'; tab: number }
  | { kind: 'offline'; ms: number }
  /** Whether the browser's monotonic clock goes on meanwhile, which differs between systems */
  | { kind: 'sleep'; ms: number; isCounted: boolean }
  | { kind: 'steal' }
  | { kind: 'use'; withField: boolean };

export interface Schedule {
  /** In their order, each so many milliseconds after the one before */
  acts: Array<{ afterMs: number; act: Act }>;
  /** Of each request in the order of sending; those beyond have none */
  faults: Fault[];
  /** Whether the network is fair (`network.ts`) */
  isFair: boolean;
  /** Whether a session may be lost in it: then what holds of the tables is looked at, and what a thief gains */
  mayLose: boolean;
  /** Begins keys and jitter */
  seed: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** In the same moment, about as long as the client waits, or as long as an access token lives. */
const gap = fc.oneof(
  { weight: 4, arbitrary: fc.nat(300) },
  { weight: 6, arbitrary: fc.nat(2 * CUT_OFF_MS) },
  { weight: 1, arbitrary: fc.integer({ min: MINUTE_MS, max: 20 * MINUTE_MS }) },
);
const tab = fc.nat(3);
const asks = fc.integer({ min: 0, max: 2 });

const USUAL: Array<fc.WeightedArbitrary<Act>> = [
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('ask' as const), tab }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('call' as const), tab, isRefused: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('open' as const), asks }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), tab }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('reload' as const), tab, asks }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('login' as const), tab, user: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('logout' as const), tab }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('half' as const),
      tab,
      secondMs: fc.option(fc.nat(2 * CUT_OFF_MS), { nil: undefined, freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('second' as const), tab, isRight: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), tab }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('confirm' as const), tab }) },
];

/** In which messages are lost, or longer on their way than the client waits. */
const HARD: Array<fc.WeightedArbitrary<Act>> = [
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('hammer' as const),
      tab,
      backMs: fc.integer({ min: CUT_OFF_MS, max: 4 * CUT_OFF_MS }),
      times: fc.integer({ min: 1, max: 3 }),
      everyMs: fc.nat(2 * CUT_OFF_MS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('offline' as const), ms: fc.nat(5 * MINUTE_MS) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('sleep' as const), ms: fc.nat(8 * HOUR_MS), isCounted: fc.boolean() }),
  },
];

const OF_A_THIEF: Array<fc.WeightedArbitrary<Act>> = [
  { weight: 4, arbitrary: fc.constant({ kind: 'steal' as const }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('use' as const), withField: fc.boolean() }) },
];

export interface Kind {
  /** Whether the network is away at times, the computer asleep, and answers late */
  isHard: boolean;
  isFair: boolean;
  mayLose: boolean;
  hasThief: boolean;
  /** How long a message may be on its way, either way: milliseconds */
  maxDelayMs: number;
  kinds: readonly Fault['kind'][];
  isDoubled: boolean;
}

export function schedules({
  isHard,
  isFair,
  mayLose,
  hasThief,
  maxDelayMs,
  kinds,
  isDoubled,
}: Kind): fc.Arbitrary<Schedule> {
  const act = fc.oneof(...USUAL, ...(isHard ? HARD : []), ...(hasThief ? OF_A_THIEF : []));
  return fc.record({
    acts: fc.array(fc.record({ afterMs: gap, act }), { maxLength: 24, size: 'max' }),
    faults: fc.array(faults(maxDelayMs, kinds, isDoubled), { maxLength: 24, size: 'max' }),
    isFair: fc.constant(isFair),
    mayLose: fc.constant(mayLose),
    seed: fc.nat(),
  });
}
