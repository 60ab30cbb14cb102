/** The works, and which of them are compared. */
import type { Stage } from '../stage.js';
import type { Work } from '../work.js';
import { worksBeside } from './beside.js';
import { factorWorks } from './factors.js';
import { gatewayWorks } from './gateway.js';
import { mixedWork } from './mixed.js';
import { peerWorks } from './peer.js';
import { startWork } from './start.js';
import { tracedWorks } from './traced.js';
import { webhookWorks } from './webhooks.js';

/** Works of one line are compared with one another, and so measured in turns. */
export const COMPARED = [
  ['refresh', 'peer', 'better-auth-renewed', 'statement', 'logout'],
  ['refresh-traced', 'refresh-untraced'],
  ['login', 'argon2'],
  ['login-passkey', 'login-factor', 'confirm', 'express-verifying'],
  ['mixed'],
  ['caller-token', 'caller-document', 'caller-token-first', 'caller-signature', 'apollo'],
  [
    ...['proxy-token', 'proxy-token-plain', 'proxy-token-first', 'proxy-token-live', 'proxy-cookie'],
    ...['proxy-preflight', 'better-auth', 'better-auth-cached', 'express', 'express-signing'],
  ],
  ['signatures'],
  ['start'],
  ['webhooks'],
  ['webhooks-steady'],
  ['webhooks-idle'],
];
export const ALL_WORKS = COMPARED.flat();

export async function worksOf(stage: Stage, names: readonly string[]): Promise<Work[]> {
  const works = [
    ...gatewayWorks(stage),
    ...(await worksBeside(stage, names)),
    ...(await factorWorks(stage, names)),
    ...(names.includes('mixed') ? [await mixedWork(stage)] : []),
    ...(await peerWorks(stage, names)),
    ...(await tracedWorks(stage, names)),
    startWork(stage),
    ...(await webhookWorks(stage, names)),
  ];
  return names.flatMap((name) => works.filter((work) => work.name === name));
}
