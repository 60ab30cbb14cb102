/** Wrong clocks of one instance, next to another whose clock is right: nothing that rests on time is answered. */
import { writeFile } from 'node:fs/promises';
import { ALL_RIGHT, type Fault, type Stand } from './fault.js';

export interface ClockStand extends Stand {
  /** By how many seconds its clock is off */
  clockFile: string;
}

const DAY_SECONDS = 86_400;
/** The sweeper comes round every minute. */
const WITH_SWEEPER_SECONDS = 70;

const ISSUES_NOTHING: Fault['expected'] = { login: '503', refresh: '503', ready: '503', 'cron key': 'right' };
const FAR_OFF: Fault['expected'] = { ...ISSUES_NOTHING, token: '503', signature: '503', listing: '503', change: '503' };

export const CLOCK_FAULTS: readonly Fault<ClockStand>[] = [
  { ...offBy(400 * DAY_SECONDS, FAR_OFF), seconds: WITH_SWEEPER_SECONDS },
  { ...offBy(-400 * DAY_SECONDS, FAR_OFF), seconds: WITH_SWEEPER_SECONDS },
  { ...offBy(120, ISSUES_NOTHING), small: true },
  offBy(-120, ISSUES_NOTHING),
  offBy(20, { ...ALL_RIGHT, signature: 'either' }),
];

/** @param seconds positive: its clock is ahead */
function offBy(seconds: number, expected: Fault['expected']): Fault<ClockStand> {
  const amount = Math.abs(seconds) < DAY_SECONDS ? `${Math.abs(seconds)} s` : `${Math.abs(seconds) / DAY_SECONDS} days`;
  const begin: Fault<ClockStand>['begin'] = async ({ clockFile }) => {
    await writeFile(clockFile, String(seconds));
    return () => writeFile(clockFile, '0');
  };
  return { name: `its clock is ${amount} ${seconds > 0 ? 'ahead' : 'behind'}`, begin, expected };
}
