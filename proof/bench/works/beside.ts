/** What the works are compared with, in the same minutes and on the core of the gateway. */
import { PASSWORD } from '../../evidence/lab/users.js';
import { GATEWAYS_CORES } from '../cores.js';
import type { Argon2Task } from '../programs/argon2.js';
import type { Signatures, SignaturesTask } from '../programs/signatures.js';
import type { StatementTask } from '../programs/statement.js';
import { post, type Requests } from '../requests.js';
import { startRunner } from '../runner.js';
import type { Stage } from '../stage.js';
import { type CONNECTIONS, costOf, LEAD_IN_MS, type Row, type Work, workAt } from '../work.js';
import { SESSIONS } from './gateway.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Those of `names`; programs that nobody asks for are not started. */
export async function worksBeside(stage: Stage, names: readonly string[]): Promise<Work[]> {
  const makers = { statement, argon2, apollo, express, signatures };
  const chosen = Object.entries(makers).filter(([name]) => names.includes(name));
  return Promise.all(chosen.map(([, make]) => make(stage)));
}

async function statement(stage: Stage): Promise<Work> {
  const { lab, beside, database } = stage;
  const env = { ...beside.env, DATABASE_URL: database.url };
  const runner = await startRunner<StatementTask>(lab, 'statement', { ...beside, env });
  return workAt('statement', async (connections, seconds) => {
    const jtis = (await stage.mint(SESSIONS)).map(jtiOf);
    const task = { jtis, connections, seconds, leadInMs: LEAD_IN_MS };
    return costOf(stage, runner.pid, (onEdge) => runner.run(task, onEdge));
  });
}

async function argon2(stage: Stage): Promise<Work> {
  const runner = await startRunner<Argon2Task>(stage.lab, 'argon2', stage.beside);
  const part = async (seconds: number): Promise<Row[]> => {
    const [{ hash } = { hash: '' }] = await stage.database.query<{ hash: string }>(
      'select password_hash as hash from users limit 1',
    );
    const task = { hash, password: PASSWORD, connections: GATEWAYS_CORES, seconds, leadInMs: LEAD_IN_MS };
    return [{ what: 'argon2', ...(await costOf(stage, runner.pid, (onEdge) => runner.run(task, onEdge))) }];
  };
  return { name: 'argon2', parts: [part] };
}

async function apollo(stage: Stage): Promise<Work> {
  const query = JSON.stringify({ query: '{ caller { callerType } }' });
  return serverWork(stage, 'apollo', post('/graphql', JSON_TYPE, query));
}

/** No goal names it, so it is measured once in a round. */
async function express(stage: Stage): Promise<Work> {
  return serverWork(stage, 'express', post('/', {}), [64]);
}

async function serverWork(
  { postgres, lab, beside, load }: Stage,
  name: string,
  request: string,
  numbers?: typeof CONNECTIONS | [64],
): Promise<Work> {
  const { pid, url } = await startRunner(lab, name, beside);
  const requests: Requests = { kind: 'in-turn', requests: [request] };
  const measure: Parameters<typeof workAt>[1] = (connections, seconds) => {
    const task = { url, requests, connections, seconds, leadInMs: LEAD_IN_MS };
    return costOf({ postgres }, pid, (onEdge) => load.run(task, onEdge));
  };
  return workAt(name, measure, numbers);
}

async function signatures(stage: Stage): Promise<Work> {
  const runner = await startRunner<SignaturesTask, Signatures>(stage.lab, 'signatures', stage.beside);
  const part = async (seconds: number): Promise<Row[]> => {
    const micros = await runner.run({ seconds: seconds / 10 });
    return Object.entries(micros).map(([what, serverUs]) => ({ what, serverUs }));
  };
  return { name: 'signatures', parts: [part] };
}

function jtiOf(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
  return claims.jti;
}
