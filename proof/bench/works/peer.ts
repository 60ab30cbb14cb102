/** The peer, installed where it is asked for, in a folder of its own that no package of ours knows. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Requests } from '../requests.js';
import { startRunner } from '../runner.js';
import type { Stage } from '../stage.js';
import { LEAD_IN_MS, sessionsOf, type Work, workAt } from '../work.js';
import { SESSIONS } from './gateway.js';
import { loaded } from './loaded.js';

const VERSION = '9.13.3';
const FOLDER = resolve('bench', `oidc-provider-${VERSION}`);
const ENTRY = join(FOLDER, 'node_modules/oidc-provider/lib/index.js');

export async function peerWork(stage: Stage): Promise<Work> {
  const { lab, beside, database } = stage;
  if (!existsSync(ENTRY)) await install();
  const env = { NODE_ENV: 'production', DATABASE_URL: database.url, PEER_ENTRY: ENTRY };
  const how = { wrapper: beside.wrapper ?? [], env }; // its Node is as Node is: what suits the gateway may not suit it
  const peer = await startRunner<{ sessions: number }, string[]>(lab, 'peer', how);
  const sessions = sessionsOf(() => peer.run({ sessions: SESSIONS }));
  return workAt('peer', async (connections, seconds) => {
    const requests: Requests = { kind: 'rotate', way: 'oauth', tokens: await sessions.take() };
    const task = { url: peer.url, requests, connections, seconds, leadInMs: LEAD_IN_MS };
    return () => loaded(stage, peer.pid, task, sessions.giveBack);
  });
}

async function install(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'package.json'), '{ "private": true }\n');
  const words = ['install', '--save-exact', '--ignore-scripts', '--no-audit', '--no-fund', `oidc-provider@${VERSION}`];
  await promisify(execFile)('npm', words, { cwd: FOLDER });
}
