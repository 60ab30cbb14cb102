/** Answers of a gateway while the disk of its database is full. (Interface 10) */
import { execFileSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Experiment } from '../experiment.js';
import { prepareGateways } from '../lab/gateways.js';
import { startPostgresServer } from '../lab/postgres-server.js';
import { createPeople, PROBED_ENV } from '../lab/probes.js';
import type { Fault } from './faults/fault.js';
import { tryFaults } from './faults/try-faults.js';

const DISK_MEGABYTES = 300;

export const faultsDisk: Experiment = {
  name: 'faults-disk',
  isTested: true,
  needs: ['root'],
  mutants: [
    {
      name: 'a full disk is an error of the gateway',
      file: 'src/db/outage.ts',
      from: '40P01|53|57P',
      to: '40P01|53[^1]|57P',
      foundBy: /^late or wrong answers while the disk/,
    },
  ],
  run: async (lab, size) => {
    const disk = join(lab.folder, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m,mode=0700`, 'tmpfs', disk]);
    lab.defer(() => execFileSync('umount', [disk]));
    const ballast = join(disk, 'ballast');
    const fault: Fault = {
      name: 'the disk of PostgreSQL is full',
      small: true,
      seconds: 20,
      begin: async () => {
        await fill(ballast);
        return () => rm(ballast);
      },
      expected: {},
    };
    const db = await startPostgresServer(lab, disk, { max_wal_size: '64MB', min_wal_size: '32MB' });
    const gateways = await prepareGateways(lab, db.urlAt(db.port), PROBED_ENV);
    const instance = await gateways.start(); // which migrates
    const people = await createPeople(gateways, db);
    return tryFaults(lab, size, { instance, db }, people, 'the disk', [fault]);
  },
};

/** As far as the disk has room. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    while (true) await file.appendFile(Buffer.alloc(2 ** 20));
  } catch {
    await file.close();
  }
}
