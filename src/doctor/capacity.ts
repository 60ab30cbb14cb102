/** `doctor`: whether the machine or container is large enough for this configuration. (Interface 9) */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import { LEAST_ARGON2, MAX_CONNECTIONS } from '../config/values.js';
import { argon2Build } from '../credentials/passwords/argon2-build.js';
import { MAX_EXPECTED_SECONDS } from '../credentials/passwords/password-queue.js';
import { createPasswords } from '../credentials/passwords/passwords.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, fault, ok, warning } from './finding.js';
import { type Machine, MIB, type Surroundings } from './surroundings.js';

/** Largest memory of an instance without the passwords that it checks: MiB. */
const PROCESS_MIB = 250;

export function checkMemory({ config, machine }: Surroundings): Finding[] {
  const { needed, hashes } = memoryOf(config, machine);
  const seen =
    `${machine.memoryMib} MiB of memory; the program needs ${needed - hashes}, and ${numberOf(machine.cores, 'password')} ` +
    `at once ${hashes} (ARGON2_MEMORY_KIB=${config.argon2.memoryKib})`;
  if (machine.memoryMib >= needed) return [ok('memory', seen)];
  const lower = lowerable({ ARGON2_MEMORY_KIB: [config.argon2.memoryKib, LEAST_ARGON2.memoryKib] });
  const remedy = [`give it ${needed} MiB of memory`, ...lower].join(', or ');
  return [fault('memory', seen, remedy)];
}

/** Advice to lower what is above its minimum. @param values of variables, and their minimum */
function lowerable(values: Record<string, [value: number, least: number]>): string[] {
  const names = Object.entries(values).flatMap(([name, [value, least]]) =>
    value > least ? [`${name} (to ${least} at least)`] : [],
  );
  return names.length === 0 ? [] : [`lower ${names.join(' and ')}`];
}

/** MiB: `needed` in total, of which `hashes` for passwords */
function memoryOf({ argon2 }: Config, { cores }: Machine): { needed: number; hashes: number } {
  const hashes = Math.ceil((argon2.memoryKib * cores) / 1024);
  return { needed: PROCESS_MIB + hashes, hashes };
}

/** Connections of clients, those to the stores, and the files of the program itself. */
const NEEDED_FILES = MAX_CONNECTIONS + 32 + 128;

export function checkOpenFiles({ machine }: Surroundings): Finding[] {
  const seen = `${machine.openFiles} files and connections may be open; ${MAX_CONNECTIONS} clients need ${NEEDED_FILES}`;
  if (machine.openFiles >= NEEDED_FILES) return [ok('open_files', seen)];
  const remedy = 'set LimitNOFILE=65536 in the systemd unit, or run ulimit -n 65536 before the start';
  return [warning('open_files', seen, remedy)];
}

/** Free space for the embedded PostgreSQL: MiB. */
const LOW_MIB = 1_024;
const FAULT_MIB = 256;

export async function checkDisk({ config }: Surroundings): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) return [];
  let folder = config.dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, blocks, bsize } = await statfs(folder);
  const mib = (count: number): number => Math.floor((count * bsize) / MIB);
  const seen = `${mib(bavail)} of ${mib(blocks)} MiB are free at DATA_DIR ${config.dataDir}`;
  const lower = lowerable({ AUDIT_RETENTION_DAYS: [config.auditRetentionDays, 1] });
  const remedy = [`free ${LOW_MIB} MiB or more on that disk`, ...lower].join(', or ');
  if (mib(bavail) < FAULT_MIB) return [fault('disk', seen, remedy)];
  return [mib(bavail) < LOW_MIB ? warning('disk', seen, remedy) : ok('disk', seen)];
}

/** A login that takes longer than this, even on an idle machine, is slow: seconds. */
const SLOW_SECONDS = 0.5;
/** How long one hash may take: milliseconds. */
const HASHED_WITHIN_MS = 6_000;

/** It can double the speed: docs/operate.md#passwords-a-second. */
const COMPILE =
  'compile argon2 for this processor: run npm run build:argon2 in a checkout, or build the image with --build-arg ARGON2=native';

/** Hashes one password. */
export async function checkPasswordSpeed({ config, machine, signal }: Surroundings): Promise<Finding[]> {
  if (machine.memoryMib < memoryOf(config, machine).needed) return []; // `memory` reports it, and one more hash could be too much
  const build = argon2Build();
  const { passes, memoryKib } = config.argon2;
  const advice = lowerable({
    ARGON2_PASSES: [passes, LEAST_ARGON2.passes],
    ARGON2_MEMORY_KIB: [memoryKib, LEAST_ARGON2.memoryKib],
  });
  if (build === 'prebuilt') advice.push(COMPILE);
  const remedy = advice.join(', and ') || 'give it a faster processor, or more of its time';
  const passwords = await Promise.race([
    createPasswords(config.argon2, machine.cores + 1),
    sleep(HASHED_WITHIN_MS, undefined, { signal }),
  ]);
  if (passwords === undefined) {
    return [warning('password_speed', `one password takes more than ${HASHED_WITHIN_MS / 1000} s`, remedy)];
  }
  const { hashCpuSeconds } = passwords;
  const perSecond = machine.cores / hashCpuSeconds;
  const seen =
    `one password takes ${Math.round(hashCpuSeconds * 1000)} ms of a core (argon2 is ${build}): ` +
    `${numberOf(machine.cores, 'core')} ${machine.cores === 1 ? 'checks' : 'check'} ${perSecond.toFixed(1)} a second; ` +
    `if ${Math.ceil(perSecond * MAX_EXPECTED_SECONDS)} are waiting, one more login is answered 503`;
  return [hashCpuSeconds <= SLOW_SECONDS ? ok('password_speed', seen) : warning('password_speed', seen, remedy)];
}
