/** What systemd has: a datagram socket, by whose messages it knows how far a service is (sd_notify(3)). Needs python3. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { until } from '../until.js';

const LISTENER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('bound', flush=True)
while True: print(s.recv(4096).decode(), flush=True)`;

export interface NotifySocket extends Disposable {
  path: string;
  /** Every message so far */
  received: string[];
}

export async function openNotifySocket(path: string): Promise<NotifySocket> {
  const listener = spawn('python3', ['-c', LISTENER, path]);
  const received: string[] = [];
  createInterface({ input: listener.stdout }).on('line', (line) => received.push(line));
  await until('it listens', () => received.includes('bound'));
  return { path, received, [Symbol.dispose]: () => void listener.kill() };
}
