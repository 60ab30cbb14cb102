/**
 * `npm run bench`: how fast the gateway is, compared with what it could be at best on the same machine in the same minutes
 * (docs/evidence.md has the options). Exit code 1 where anything was answered otherwise than 200.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { freePort } from '../../test/support/programs/redis.js';
import { inLab, type Lab } from '../evidence/lab/lab.js';
import { memoryOf } from '../evidence/lab/process.js';
import { startReport } from '../evidence/report.js';
import { IS_PINNED, moveBeside } from './cores.js';
import { type Options, readOptions } from './options.js';
import { openPostgres, type Postgres } from './postgres.js';
import { openInspector, profileOf } from './profile.js';
import { type Failed, inRounds } from './rounds.js';
import { FEW, MANY, rowsWorks } from './rows.js';
import { ENVIRONMENT, openStage } from './stage.js';
import { GOALS, judge, judgeMemory, medians, tableOf } from './summary.js';
import type { Work } from './work.js';
import { worksOf } from './works/index.js';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Exits with 2 on a usage error. */
function optionsOrEnd(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    say(messageOf(error));
    return process.exit(2);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const options = optionsOrEnd();
const { date, commit, machine } = startReport('small');
const base = `bench/${date.slice(0, 19).replaceAll(':', '')}`;
const file = options.json ?? `${base}.json`;

/** @param gatewayPid whose memory is looked at before and after each round */
async function measure(works: Work[], { postmaster, version }: Postgres, gatewayPid?: number): Promise<Failed[]> {
  const { rounds, seconds } = options;
  const memory: number[] = [];
  const checkMemory = (): void => {
    if (gatewayPid !== undefined) memory.push((memoryOf(gatewayPid).residentMib * 2 ** 20) / 1e6);
  };
  checkMemory();
  const { measured, failed } = await inRounds(works, { rounds, seconds, postmaster, say, onRound: checkMemory });

  const lines = medians(measured);
  const goals = [...judge(GOALS, lines), ...judgeMemory(memory)];
  const report = { date, commit, machine, postgres: version, pinned: IS_PINNED, seconds, rounds, memory_mb: memory };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...report, lines, goals, failed, measured }, null, 2)}\n`);
  print(tableOf(lines, goals));
  if (memory.length > 0)
    say(`memory of the gateway: ${memory.map(Math.round).join(', ')} MB, before and after each round`);
  say(`the figures are in ${file}`);
  return failed;
}

async function run(lab: Lab): Promise<Failed[]> {
  if (IS_PINNED) moveBeside(process.pid);
  const postgres = await openPostgres(lab, process.env['DATABASE_URL']);
  const { mode, names, seconds } = options;
  if (mode === 'rows') return measure(await rowsWorks(lab, postgres, ENVIRONMENT, [FEW, MANY]), postgres);

  const port = mode === 'profile' ? await freePort() : undefined;
  const stage = await openStage(
    lab,
    postgres,
    port === undefined ? {} : { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
  );
  const works = await worksOf(stage, names);
  if (port === undefined) return measure(works, postgres, stage.gatewayPid);

  const inspector = await openInspector(port);
  mkdirSync(dirname(base), { recursive: true });
  for (const work of works.filter(({ isGateways }) => isGateways)) {
    say(`${work.name} is profiled`);
    print(await profileOf(inspector, work, seconds, `${base}-${work.name}.cpuprofile`));
  }
  inspector.close();
  return [];
}

const interruption = new AbortController();
class Interrupted extends Error {}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interruption.abort(new Interrupted(`interrupted by ${signal}`)));
}
process.on('uncaughtException', (error) => interruption.abort(error)); // whatever runs is ended all the same
try {
  const failed = await inLab(say, interruption.signal, run);
  for (const { work, why } of failed) say(`${work} failed: ${why}`);
  process.exit(failed.length > 0 ? 1 : 0);
} catch (error) {
  say(messageOf(error));
  process.exit(error instanceof Interrupted ? 130 : 1);
}
