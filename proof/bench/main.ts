/**
 * `npm run bench`: how fast the gateway is, compared with what it could be at best on the same machine in the same seconds
 * (docs/benchmark.md has the options). Exit code 1 where anything was answered otherwise than 200, 130 if it was interrupted.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { freePort } from '../../test/support/programs/redis.js';
import { inLab, type Lab } from '../evidence/lab/lab.js';
import { memoryOf, type ProcessMemory } from '../evidence/lab/process.js';
import { startReport } from '../evidence/report.js';
import { comparisonsOf } from './comparisons.js';
import { IS_PINNED, moveBeside } from './cores.js';
import { APART, type Counts, countAll, countsTable, grown } from './count.js';
import { watchStrangers } from './cpu.js';
import { type Options, readOptions } from './options.js';
import { openPostgres, type Postgres } from './postgres.js';
import { openInspector, profileOf } from './profile.js';
import { publish } from './published.js';
import { finish, headOf, type Memory, writeJson } from './report.js';
import { inRounds, type Measured, warmUp } from './rounds.js';
import { openStage, type Stage } from './stage.js';
import type { Work } from './work.js';
import { COMPARED, worksOf } from './works/index.js';

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
const started = startReport('small');
const base = `bench/${started.date.slice(0, 19).replaceAll(':', '')}`;
const measured: Measured = { slices: [], failed: [] };
const memory: Memory = { resident: [], anonymous: [] };
let postgresVersion = '';

const interruption = new AbortController();
class Interrupted extends Error {}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interruption.abort(new Interrupted(`interrupted by ${signal}`)));
}
process.on('uncaughtException', (error) => interruption.abort(error)); // whatever runs is ended all the same

/** @param stage whose gateway's memory is looked at before and after each round */
async function measure(works: Work[], { postmaster }: Postgres, stage: Stage): Promise<void> {
  const { rounds, seconds } = options;
  const noteMemory = ({ residentMib, anonymousMib }: ProcessMemory): void => {
    memory.resident.push((residentMib * 2 ** 20) / 1e6);
    memory.anonymous.push((anonymousMib * 2 ** 20) / 1e6);
  };
  const checkMemory = (): void => noteMemory(memoryOf(stage.gatewayPid));
  noteMemory(stage.atRest);
  say('each work is done once, so that it is compiled');
  await warmUp(works);
  checkMemory();
  const watch = () => watchStrangers(postmaster);
  const how = { rounds, watch, interrupted: interruption.signal, say, onRound: checkMemory };
  await inRounds(comparisonsOf(works, COMPARED, seconds), how, measured);
}

function reportAll(wasInterrupted: boolean): void {
  if (options.mode === 'profile' || options.mode === 'count') return;
  const { text, json } = finish(measured, memory);
  print(text);
  if (measured.slices.length === 0) return;
  const { date, commit, machine } = started;
  const { rounds, seconds } = options;
  const head = { date, commit, machine, postgres: postgresVersion, pinned: IS_PINNED, seconds, rounds };
  const file = options.json ?? `${base}.json`;
  writeJson(file, { ...head, interrupted: wasInterrupted, ...json });
  say(`the figures are in ${file}`);
  if (!options.publish) return;
  if (wasInterrupted || measured.failed.length > 0) say('it is not published: not every work was measured');
  else publish({ ...head, ...json });
}

async function count(lab: Lab, stage: Stage, port: number): Promise<void> {
  const counts = await countAll(lab, stage, port, (variant) => worksOf(variant, options.names));
  const { json, against, program } = options;
  writeJson(json ?? `${base}-counts.json`, { date: started.date, commit: program ?? started.commit, counts });
  const before =
    against === undefined ? undefined : (JSON.parse(readFileSync(against, 'utf8')) as { counts: Counts[] });
  print(countsTable(counts, before?.counts));
  for (const work of grown(counts, before?.counts ?? [])) {
    measured.failed.push({ work, why: `it has over ${APART * 100} % more instructions than before` });
  }
}

async function run(lab: Lab): Promise<void> {
  if (IS_PINNED) moveBeside(process.pid);
  const postgres = await openPostgres(lab, process.env['DATABASE_URL']);
  postgresVersion = postgres.version;
  const { mode, names, seconds } = options;
  if (mode !== 'profile') print(headOf(started, postgres.version, postgres.postmaster === undefined));
  const port = mode === 'measure' ? undefined : await freePort();
  const inspected = port === undefined ? {} : { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` };
  const stage = await openStage(lab, postgres, inspected, options.program);
  if (mode === 'count' && port !== undefined) return count(lab, stage, port);
  const works = await worksOf(stage, names);
  if (port === undefined) return measure(works, postgres, stage);

  const inspector = await openInspector(port);
  mkdirSync(dirname(base), { recursive: true });
  for (const work of works.filter(({ send }) => send !== undefined)) {
    say(`${work.name} is profiled`);
    print(await profileOf(inspector, work, seconds, `${base}-${work.name}.cpuprofile`));
  }
  inspector.close();
}

let code = 0;
try {
  await inLab(say, interruption.signal, run);
} catch (error) {
  say(messageOf(error));
  code = error instanceof Interrupted ? 130 : 1;
}
process.removeAllListeners('uncaughtException'); // nothing runs any more that would have to be ended
reportAll(code !== 0);
for (const line of new Set(measured.failed.map(({ work, why }) => `${work} failed: ${why}`))) say(line);
process.exit(code === 0 && measured.failed.length > 0 ? 1 : code);
