/** The peers: each is installed where it is asked for, in a folder of its own that no package of ours knows. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { SessionsTask, Way } from '../programs/better-auth.js';
import { get, type Requests } from '../requests.js';
import { type Runner, startRunner } from '../runner.js';
import type { Stage } from '../stage.js';
import { JUDGED, LEAD_IN_MS, sessionsOf, type Work, workAt } from '../work.js';
import { SESSIONS } from './gateway.js';
import { loaded } from './loaded.js';

/** By the name of the program: the package, and the folder of its modules */
const PACKAGES = {
  peer: { name: 'oidc-provider', version: '9.13.3', modules: 'lib' },
  'better-auth': { name: 'better-auth', version: '1.7.25', modules: 'dist' },
} as const;

/** Have to be installed, and so are measured only where they are asked for. */
export const PEERS: readonly string[] = ['peer', 'better-auth-renewed', 'better-auth', 'better-auth-cached'];

/** Works of Better Auth, by how it keeps sessions. None rotates a token or notices a theft. */
const WAYS: Readonly<Record<string, Way>> = {
  'better-auth': 'read',
  'better-auth-cached': 'cached',
  'better-auth-renewed': 'renewed',
};

export async function peerWorks(stage: Stage, names: readonly string[]): Promise<Work[]> {
  const ways = Object.entries(WAYS).filter(([name]) => names.includes(name));
  const betterAuth = ways.length > 0 ? await startPeer<SessionsTask>(stage, 'better-auth') : undefined;
  return [
    ...(names.includes('peer') ? [rotations(stage, await startPeer(stage, 'peer'))] : []),
    ...(betterAuth === undefined ? [] : ways.map(([name, way]) => questions(stage, betterAuth, name, way))),
  ];
}

function rotations(stage: Stage, peer: Runner<{ sessions: number }, string[]>): Work {
  const sessions = sessionsOf(() => peer.run({ sessions: SESSIONS }));
  return workAt('peer', async (connections, seconds) => {
    const requests: Requests = { kind: 'rotate', way: 'oauth', tokens: await sessions.take() };
    const task = { url: peer.url, requests, connections, seconds, leadInMs: LEAD_IN_MS };
    return () => loaded(stage, peer.pid, task, sessions.giveBack);
  });
}

/** Without a session the peer answers 200 too, and `null`. */
function questions(stage: Stage, peer: Runner<SessionsTask, string[]>, name: string, way: Way): Work {
  return workAt(
    name,
    async (connections, seconds) => {
      const cookies = await peer.run({ way, sessions: stage.accessTokens.length }); // a cache lasts five minutes
      const requests: Requests = {
        kind: 'in-turn',
        requests: cookies.map((cookie) => get(`/${way}/get-session`, { cookie })),
        expected: '"session":{',
      };
      const task = { url: peer.url, requests, connections, seconds, leadInMs: LEAD_IN_MS };
      return () => loaded(stage, peer.pid, task);
    },
    [JUDGED],
  );
}

async function startPeer<Task>(stage: Stage, program: keyof typeof PACKAGES): Promise<Runner<Task, string[]>> {
  const { lab, beside, database } = stage;
  const { name, version, modules } = PACKAGES[program];
  const folder = resolve('bench', `${name}-${version}`);
  const PEER_MODULES = join(folder, 'node_modules', name, modules);
  if (!existsSync(PEER_MODULES)) await install(folder, `${name}@${version}`);
  // Its Node is as Node is: what suits the gateway may not suit it.
  const env = { NODE_ENV: 'production', DATABASE_URL: database.url, PEER_MODULES };
  return startRunner(lab, program, { wrapper: beside.wrapper ?? [], env });
}

async function install(folder: string, what: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const words = ['install', '--save-exact', '--ignore-scripts', '--no-audit', '--no-fund', what];
  await promisify(execFile)('npm', words, { cwd: folder });
}
