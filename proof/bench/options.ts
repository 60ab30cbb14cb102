/** The words of `npm run bench`. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ALL_WORKS } from './works/index.js';
import { PEERS } from './works/peer.js';

const OPTIONS = {
  only: { type: 'string' },
  seconds: { type: 'string' },
  rounds: { type: 'string', default: '3' },
  json: { type: 'string' },
  peer: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
  rows: { type: 'boolean', default: false },
} as const satisfies ParseArgsConfig['options'];

export interface Options {
  /** What is done with the works: measured, profiled, or the one work of `--rows` */
  mode: 'measure' | 'profile' | 'rows';
  /** Of works */
  names: string[];
  seconds: number;
  rounds: number;
  json: string | undefined;
}

/** Of each slice, where nothing is said */
const SECONDS = { measure: 0.5, profile: 10, rows: 2 };

/** @throws on a usage error */
export function readOptions(words: string[]): Options {
  const { only, json, peer, profile, rows, ...numbers } = parseArgs({ args: words, options: OPTIONS }).values;
  const asked = only?.split(',') ?? ALL_WORKS.filter((name) => !PEERS.includes(name));
  const unknown = asked.filter((name) => !ALL_WORKS.includes(name));
  if (unknown.length > 0) throw new Error(`no such work: ${unknown.join(', ')}; there are ${ALL_WORKS.join(', ')}`);
  const mode = profile ? 'profile' : rows ? 'rows' : 'measure';
  const seconds = Number(numbers.seconds ?? SECONDS[mode]);
  const rounds = Number(numbers.rounds);
  if (!(seconds > 0) || !(Number.isInteger(rounds) && rounds > 0))
    throw new Error('--seconds and --rounds take a number');
  const names = ALL_WORKS.filter((name) => asked.includes(name) || (peer && PEERS.includes(name)));
  return { mode, names, seconds, rounds, json };
}
