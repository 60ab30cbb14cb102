/** sd_notify(3) of a service of `Type=notify`, by systemd's program, since Node has no Unix datagram sockets. */
import { spawn } from 'node:child_process';

/** @param onFailed called with a sentence if systemd cannot be notified */
export function notifyServiceManager(state: 'READY=1' | 'STOPPING=1', onFailed: (sentence: string) => void): void {
  const fail = (how: string): void => onFailed(`systemd-notify ${state} ${how}`);
  spawn('systemd-notify', [state], { stdio: 'ignore' })
    .on('error', ({ code }: NodeJS.ErrnoException) => fail(`cannot be run (${code})`))
    .on('exit', (code) => code !== 0 && fail(`has ended with ${code ?? 'a signal'}`))
    .unref();
}
