/** The words of `npm run bench`. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ALL_WORKS } from './works/index.js';
import { PEERS } from './works/peer.js';

const OPTIONS = {
  only: { type: 'string' },
  seconds: { type: 'string' },
  rounds: { type: 'string', default: '3' },
  json: { type: 'string' },
  publish: { type: 'boolean', default: false },
  peer: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
  count: { type: 'boolean', default: false },
  against: { type: 'string' },
  program: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

export interface Options {
  /** What is done with the works */
  mode: 'measure' | 'profile' | 'count';
  /** Of works */
  names: string[];
  seconds: number;
  rounds: number;
  json: string | undefined;
  /** Whether docs/benchmark.md shall print the run */
  publish: boolean;
  /** Of `--count`: a file with the counts of another commit */
  against: string | undefined;
  /** The gateway of another commit, instead of this one's */
  program: string | undefined;
}

/** Of each slice, where nothing is said */
const SECONDS = { measure: 0.5, profile: 10, count: 0 };

/** What is counted, where nothing is said: a minute and a half each */
const COUNTED = ['refresh', 'logout', 'caller-token', 'caller-signature', 'proxy-token'];

/** @throws on a usage error */
export function readOptions(words: string[]): Options {
  const { only, json, publish, peer, profile, count, against, program, ...numbers } = parseArgs({
    args: words,
    options: OPTIONS,
  }).values;
  const mode = count ? 'count' : profile ? 'profile' : 'measure';
  const asked = only?.split(',') ?? (count ? COUNTED : undefined) ?? ALL_WORKS.filter((name) => !PEERS.includes(name));
  const unknown = asked.filter((name) => !ALL_WORKS.includes(name));
  if (unknown.length > 0) throw new Error(`no such work: ${unknown.join(', ')}; there are ${ALL_WORKS.join(', ')}`);
  if (publish && (only !== undefined || mode !== 'measure')) throw new Error('--publish is for a run of all works');
  const seconds = Number(numbers.seconds ?? SECONDS[mode]);
  const rounds = Number(numbers.rounds);
  if (!(seconds > 0 || count) || !(Number.isInteger(rounds) && rounds > 0))
    throw new Error('--seconds and --rounds take a number');
  const names = ALL_WORKS.filter((name) => asked.includes(name) || ((peer || publish) && PEERS.includes(name)));
  return { mode, names, seconds, rounds, json, publish, against, program };
}
