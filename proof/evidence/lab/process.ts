/** What the kernel says of a process (proc(5)). */
import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory, in MiB: now, and the most that it ever was. */
export function memoryOf(pid: number): { residentMib: number; peakMib: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
  return { residentMib: mib('VmRSS'), peakMib: mib('VmHWM') };
}

/** Open descriptors: files, sockets, pipes. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
