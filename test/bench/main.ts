/**
 * `npm run bench`: how fast the gateway is, beside what it could be at best on the same machine in the same minutes
 * (docs/benchmark.md). It fails where anything was answered otherwise than 200.
 *   --only A,B      these works alone
 *   --seconds N     of each measurement, 2 unless given
 *   --rounds N      3 unless given
 *   --json FILE     where to write the figures: bench/DATE.json unless given
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { inLab } from '../evidence/lab/lab.js';
import { memoryOf } from '../evidence/lab/process.js';
import { startReport } from '../evidence/report.js';
import { IS_PINNED } from './cores.js';
import { inRounds } from './rounds.js';
import { openStage } from './stage.js';
import { GOALS, judge, judgeMemory, medians, tableOf } from './summary.js';
import { NAMES, worksOf } from './works/index.js';

const OPTIONS = {
  only: { type: 'string' },
  seconds: { type: 'string', default: '2' },
  rounds: { type: 'string', default: '3' },
  json: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Ends the process with 2 where the words are wrong. */
function readOptions() {
  try {
    const { only, json, ...numbers } = parseArgs({ options: OPTIONS }).values;
    const names = only?.split(',') ?? NAMES;
    const unknown = names.filter((name) => !NAMES.includes(name));
    if (unknown.length > 0) throw new Error(`no such work: ${unknown.join(', ')}; there are ${NAMES.join(', ')}`);
    const seconds = Number(numbers.seconds);
    const rounds = Number(numbers.rounds);
    if (!(seconds > 0 && Number.isInteger(rounds) && rounds > 0))
      throw new Error('--seconds and --rounds take a number');
    return { names, seconds, rounds, json };
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return process.exit(2);
  }
}

const { names, seconds, rounds, json } = readOptions();
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)));
}

const { date, commit, machine } = startReport('small');
const file = json ?? `bench/${date.slice(0, 19).replaceAll(':', '')}.json`;
const failures = await inLab(say, interruption.signal, async (lab) => {
  const stage = await openStage(lab, process.env['DATABASE_URL']);
  const { postgres, gatewayPid } = stage;
  const memory: number[] = [];
  const lookAtMemory = (): void => void memory.push((memoryOf(gatewayPid).residentMib * 2 ** 20) / 1e6);
  lookAtMemory();
  const works = await worksOf(stage, names);
  const { postmaster, version } = postgres;
  const { measured, failed } = await inRounds(works, { rounds, seconds, postmaster, say, onRound: lookAtMemory });

  const lines = medians(measured);
  const goals = [...judge(GOALS, lines), ...judgeMemory(memory)];
  const report = { date, commit, machine, postgres: version, pinned: IS_PINNED, seconds, rounds, memory_mb: memory };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...report, lines, goals, failed, measured }, null, 2)}\n`);
  process.stdout.write(`${tableOf(lines, goals)}\n`);
  say(`memory of the gateway: ${memory.map((mb) => mb.toFixed(0)).join(', ')} MB before and after each round`);
  say(`the figures are in ${file}`);
  return failed;
});
for (const { work, why } of failures) say(`${work} failed: ${why}`);
process.exit(failures.length > 0 ? 1 : 0);
