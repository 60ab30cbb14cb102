/** What the works are compared with, in neighbouring slices and on the core of the gateway. */
import { PASSWORD } from '../../evidence/lab/users.js';
import { GATEWAYS_CORES } from '../cores.js';
import type { Argon2Task } from '../programs/argon2.js';
import type { Signatures, SignaturesTask } from '../programs/signatures.js';
import type { StatementResult, StatementTask } from '../programs/statement.js';
import { post, type Requests } from '../requests.js';
import { startRunner } from '../runner.js';
import type { Stage } from '../stage.js';
import {
  type Connections,
  costOf,
  JUDGED,
  LEAD_IN_MS,
  PASSWORD_STRETCH,
  type Run,
  sessionsOf,
  type Work,
  workAt,
} from '../work.js';
import { SESSIONS } from './gateway.js';
import { loaded } from './loaded.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Those of `names`; programs that nobody asks for are not started. */
export async function worksBeside(stage: Stage, names: readonly string[]): Promise<Work[]> {
  const makers = {
    ...{ statement, argon2, apollo, express, signatures },
    'express-signing': expressSigning,
    'express-verifying': expressVerifying,
  };
  const chosen = Object.entries(makers).filter(([name]) => names.includes(name));
  return Promise.all(chosen.map(([, make]) => make(stage)));
}

async function statement(stage: Stage): Promise<Work> {
  const { lab, beside, database } = stage;
  const env = { ...beside.env, DATABASE_URL: database.url };
  const runner = await startRunner<StatementTask, StatementResult>(lab, 'statement', { ...beside, env });
  const sessions = sessionsOf(async () => (await stage.mint(SESSIONS)).map(jtiOf));
  return workAt('statement', async (connections, seconds) => {
    const task = { jtis: await sessions.take(), connections, seconds, leadInMs: LEAD_IN_MS };
    return () =>
      costOf(stage, runner.pid, async (onEdge) => {
        const { jtis, ...counted } = await runner.run(task, onEdge);
        sessions.giveBack(jtis);
        return counted;
      });
  });
}

async function argon2(stage: Stage): Promise<Work> {
  const runner = await startRunner<Argon2Task>(stage.lab, 'argon2', stage.beside);
  const prepare = async (seconds: number): Promise<Run> => {
    const [{ hash } = { hash: '' }] = await stage.database.query<{ hash: string }>(
      'select password_hash as hash from users limit 1',
    );
    const task = { hash, password: PASSWORD, connections: GATEWAYS_CORES, seconds, leadInMs: LEAD_IN_MS };
    return async () => [{ what: 'argon2', ...(await costOf(stage, runner.pid, (onEdge) => runner.run(task, onEdge))) }];
  };
  return { name: 'argon2', parts: [{ prepare }], stretch: PASSWORD_STRETCH };
}

async function apollo(stage: Stage): Promise<Work> {
  const query = JSON.stringify({ query: '{ caller { callerType } }' });
  return serverWork(stage, 'apollo', post('/graphql', JSON_TYPE, query));
}

async function express(stage: Stage): Promise<Work> {
  return serverWork(stage, 'express', post('/', {}), [JUDGED]);
}

/** What a proxy's question costs at least: a route, and the signature of its assertion. */
async function expressSigning(stage: Stage): Promise<Work> {
  return serverWork(stage, 'express-signing', post('/signed', {}), [JUDGED], 'express');
}

/** What a login by a passkey costs at least: a route, and the signature of its assertion. */
async function expressVerifying(stage: Stage): Promise<Work> {
  return serverWork(stage, 'express-verifying', post('/verified', {}), [JUDGED], 'express');
}

async function serverWork(
  stage: Stage,
  name: string,
  request: string,
  numbers?: readonly Connections[],
  program = name,
): Promise<Work> {
  const { pid, url } = await startRunner(stage.lab, program, stage.beside);
  const requests: Requests = { kind: 'in-turn', requests: [request] };
  const withoutPostgres = { ...stage, postgres: { ...stage.postgres, postmaster: undefined } };
  const prepare: Parameters<typeof workAt>[1] = async (connections, seconds) => () =>
    loaded(withoutPostgres, pid, { url, requests, connections, seconds, leadInMs: LEAD_IN_MS });
  return workAt(name, prepare, numbers);
}

async function signatures(stage: Stage): Promise<Work> {
  const runner = await startRunner<SignaturesTask, Signatures>(stage.lab, 'signatures', stage.beside);
  const prepare =
    async (seconds: number): Promise<Run> =>
    async () => {
      const micros = await runner.run({ seconds: seconds / 8 });
      return Object.entries(micros).map(([what, serverUs]) => ({ what, serverUs }));
    };
  return { name: 'signatures', parts: [{ prepare }], stretch: 3 };
}

function jtiOf(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
  return claims.jti;
}
