/** The works, in the order in which each round measures them: each stands next to what it is compared with. */
import type { Stage } from '../stage.js';
import type { Work } from '../work.js';
import { worksBeside } from './beside.js';
import { gatewayWorks } from './gateway.js';
import { mixedWork } from './mixed.js';
import { startWork } from './start.js';

export const NAMES = [
  ...['refresh', 'statement', 'logout', 'login', 'argon2', 'mixed'],
  ...['caller-token', 'apollo', 'caller-signature', 'express', 'signatures', 'start'],
];

export async function worksOf(stage: Stage, names: readonly string[]): Promise<Work[]> {
  const works = [
    ...gatewayWorks(stage),
    ...(await worksBeside(stage, names)),
    ...(names.includes('mixed') ? [await mixedWork(stage)] : []),
    startWork(stage),
  ];
  return names.flatMap((name) => works.filter((work) => work.name === name));
}
