/** sd_notify(3): tells systemd how far a service of `Type=notify` is. Node has no datagram sockets of Unix; systemd's program has. */
import { spawn } from 'node:child_process';

/** @param onFailed told, in a sentence, where systemd cannot be told */
export function notifyServiceManager(state: 'READY=1' | 'STOPPING=1', onFailed: (sentence: string) => void): void {
  const fail = (how: string): void => onFailed(`systemd is not told ${state}: systemd-notify ${how}`);
  spawn('systemd-notify', [state], { stdio: 'ignore' })
    .on('error', ({ code }: NodeJS.ErrnoException) => fail(`cannot be run (${code})`))
    .on('exit', (code) => code !== 0 && fail(`has ended with ${code ?? 'a signal'}`))
    .unref();
}
