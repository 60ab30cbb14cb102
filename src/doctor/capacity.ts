/** Interface 9, `doctor`: what this configuration asks of the machine or container. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import { argon2Build } from '../credentials/passwords/argon2-build.js';
import { createPasswords } from '../credentials/passwords/passwords.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, fault, ok, warning } from './finding.js';
import { type Machine, MIB } from './machine.js';
import type { Surroundings } from './surroundings.js';

/** What an instance takes at most, without the passwords that it checks: MiB. */
const PROCESS_MIB = 250;

export function checkMemory({ config, machine }: Surroundings): Finding[] {
  const { needed, hashes } = memoryOf(config, machine);
  const seen =
    `${machine.memoryMib} MiB of memory; needed are ${needed - hashes} for the program and ${hashes} for ` +
    `${numberOf(machine.cores, 'password')} at once (ARGON2_MEMORY_KIB=${config.argon2.memoryKib})`;
  if (machine.memoryMib >= needed) return [ok('memory', seen)];
  const remedy = `give it ${needed} MiB of memory, or lower ARGON2_MEMORY_KIB (19456 at least)`;
  return [fault('memory', seen, remedy)];
}

/** MiB, in all and of it for passwords */
function memoryOf({ argon2 }: Config, { cores }: Machine): { needed: number; hashes: number } {
  const hashes = Math.ceil((argon2.memoryKib * cores) / 1024);
  return { needed: PROCESS_MIB + hashes, hashes };
}

/** The connections that an instance takes, those to its stores, and the files of the program itself. */
const NEEDED_FILES = 2_048 + 32 + 128;

export function checkOpenFiles({ machine }: Surroundings): Finding[] {
  const seen = `${machine.openFiles} files and connections may be open; 2,048 connections need ${NEEDED_FILES}`;
  if (machine.openFiles >= NEEDED_FILES) return [ok('open_files', seen)];
  const remedy = 'set LimitNOFILE=65536 in the systemd unit, or type ulimit -n 65536 before the start';
  return [warning('open_files', seen, remedy)];
}

/** What free space the embedded PostgreSQL is to have: MiB. */
const LOW_MIB = 1_024;
const FAULT_MIB = 256;

export async function checkDisk({ config }: Surroundings): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) return [];
  let folder = config.dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, blocks, bsize } = await statfs(folder);
  const mib = (count: number): number => Math.floor((count * bsize) / MIB);
  const seen = `${mib(bavail)} of ${mib(blocks)} MiB are free at DATA_DIR ${config.dataDir}`;
  const remedy = `give that disk ${LOW_MIB} MiB of room or more, or lower AUDIT_RETENTION_DAYS`;
  if (mib(bavail) < FAULT_MIB) return [fault('disk', seen, remedy)];
  return [mib(bavail) < LOW_MIB ? warning('disk', seen, remedy) : ok('disk', seen)];
}

/** Whoever logs in waits for longer than this on a machine that does nothing else: seconds. */
const SLOW_SECONDS = 0.5;
/** How long a login may expect to wait for its turn, as the queue has it: seconds. */
const QUEUE_SECONDS = 2;

/** How long one hash is waited for: milliseconds. */
const HASHED_WITHIN_MS = 6_000;

/** Hashes one password. */
export async function checkPasswordSpeed({ config, machine, signal }: Surroundings): Promise<Finding[]> {
  if (machine.memoryMib < memoryOf(config, machine).needed) return []; // which is told, and one more could be too much
  const build = argon2Build();
  const native = build === 'prebuilt' ? ', and run npm run build:argon2 in a checkout, which can double the speed' : '';
  const remedy = `lower ARGON2_PASSES and ARGON2_MEMORY_KIB (2 and 19456 at least)${native}`;
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
    `when ${Math.ceil(perSecond * QUEUE_SECONDS)} wait already, a further login is answered 503`;
  return [hashCpuSeconds <= SLOW_SECONDS ? ok('password_speed', seen) : warning('password_speed', seen, remedy)];
}
