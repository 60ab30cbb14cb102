/** What the kernel says of a process (proc(5)). */
import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory, in MiB: now, the most that it ever was, and the part of it that is no file's */
export interface ProcessMemory {
  residentMib: number;
  peakMib: number;
  anonymousMib: number;
}

export function memoryOf(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
  return { residentMib: mib('VmRSS'), peakMib: mib('VmHWM'), anonymousMib: mib('RssAnon') };
}

/** Open descriptors: files, sockets, pipes. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
