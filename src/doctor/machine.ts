/** Interface 9, `doctor`: the machine or container, as this process has it. */
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

export interface Machine {
  cores: number;
  /** Of the machine, or of the container if that has less: MiB */
  memoryMib: number;
  /** Files and connections that this process may have open */
  openFiles: number;
  /** The user of this process; 0: root */
  uid: number;
}

/** In bytes */
export const MIB = 2 ** 20;

export function readMachine(): Machine {
  const constrained = process.constrainedMemory(); // 0: not constrained
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  const [, files = 'unlimited'] = /^Max open files\s+(\w+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return {
    cores: availableParallelism(),
    memoryMib: Math.floor(bytes / MIB),
    openFiles: files === 'unlimited' ? Number.POSITIVE_INFINITY : Number(files),
    uid: process.geteuid?.() ?? 0,
  };
}
