/** What stands while the works are measured: PostgreSQL, a gateway, users, keys, and the process that makes the load. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asRecord } from '../../test/support/gateway/trusted-documents.js';
import { TRUSTED } from '../evidence/lab/addresses.js';
import { login, refresh } from '../evidence/lab/browser.js';
import { type ApiKey, createApiKey } from '../evidence/lab/callers.js';
import { type Gateways, type Instance, PUBLIC_URL, prepareGateways } from '../evidence/lab/gateways.js';
import type { Lab } from '../evidence/lab/lab.js';
import { inLanes } from '../evidence/lab/lanes.js';
import { mintSessions } from '../evidence/lab/minted.js';
import { memoryOf, type ProcessMemory } from '../evidence/lab/process.js';
import { createUsers, PASSWORD } from '../evidence/lab/users.js';
import { ON_THE_GATEWAYS_CORE } from './cores.js';
import type { Database, Postgres } from './postgres.js';
import type { LoadResult, LoadTask } from './programs/load.js';
import { type Runner, type Start, setUpAs, startRunner } from './runner.js';

export interface Stage {
  lab: Lab;
  postgres: Postgres;
  database: Database;
  gateways: Gateways;
  /** Of every process of the gateway's */
  environment: Record<string, string>;
  gateway: Instance;
  gatewayPid: number;
  /** Of the gateway, once it was ready */
  atRest: ProcessMemory;
  load: Runner<LoadTask, LoadResult>;
  emails: string[];
  apiKey: ApiKey;
  accessTokens: string[];
  /** How a program is started that the gateway is compared with: on its core, its Node set up as the gateway's */
  beside: Start;
  /** Refresh tokens of new sessions, of all users alike */
  mint(count: number): Promise<string[]>;
}

/** The service whose proxy asks (Interface 18) */
export const SERVICE_ORIGIN = 'https://app.example.com';

/** Limits that nothing here is to reach, and an environment as of operators */
const ENVIRONMENT = {
  NODE_ENV: 'production',
  SESSION_RATE_LIMIT: '1000000',
  ACCESS_TOKEN_TTL_SECONDS: '86400',
  ...TRUSTED,
  FORWARD_AUTH_PROXIES: '127.0.0.1',
  FORWARD_AUTH_ORIGINS: SERVICE_ORIGIN,
};
/** The one trusted document */
export const WHO_IS_CALLING = '{ caller { callerType } }';
const USERS = 64;
/** Users whose sessions are rotated */
const OWNERS = 16;
const ACCESS_TOKENS = 256;
const KEY_LIMIT = 1_000_000;

/**
 * @param env more of the gateway's environment
 * @param program the gateway of another commit
 */
export async function openStage(
  lab: Lab,
  postgres: Postgres,
  env: Record<string, string> = {},
  program?: string,
): Promise<Stage> {
  const database = await postgres.createDatabase();
  const documents = join(lab.folder, 'documents.json');
  writeFileSync(documents, asRecord(WHO_IS_CALLING));
  const common = { ...ENVIRONMENT, TRUSTED_DOCUMENTS: documents };
  const gateways = await prepareGateways(lab, database.url, common, program);
  await gateways.cli('migrate', 'up'); // as a gateway that is started again: a migration loads the ORM
  const gateway = await gateways.start(env, { wrapper: ON_THE_GATEWAYS_CORE });
  const gatewayPid = gateway.process.pid ?? 0;
  const atRest = memoryOf(gatewayPid);
  const emails = await createUsers(gateways, database, USERS);
  const apiKey = await createApiKey(gateways, KEY_LIMIT);
  const mint = async (count: number): Promise<string[]> => {
    const shares = emails
      .slice(0, OWNERS)
      .map((email) => mintSessions(gateways, database, email, Math.ceil(count / OWNERS)));
    return (await Promise.all(shares)).flat();
  };
  const accessTokens: string[] = [];
  await inLanes(await mint(ACCESS_TOKENS), OWNERS, async (token) => {
    const { body } = await refresh(gateway.url, token);
    accessTokens.push(String(body['access_token']));
  });
  const first = await login(gateway.url, emails[0] ?? '', PASSWORD);
  if (first.status !== 200) throw new Error(`the first login was answered ${first.status}`);
  const { keyringFile } = gateways;
  const PATH = process.env['PATH'] ?? '';
  const environment = { ...ENVIRONMENT, PATH, PUBLIC_URL, DATABASE_URL: database.url, KEYRING_FILE: keyringFile };
  const beside = { wrapper: ON_THE_GATEWAYS_CORE, env: setUpAs(gatewayPid) };
  const load = await startRunner<LoadTask, LoadResult>(lab, 'load');
  return {
    ...{ lab, postgres, database, gateways, environment, gateway, gatewayPid, atRest },
    ...{ load, emails, apiKey, accessTokens, beside, mint },
  };
}
