/** Proxies that run from the files in deploy/, of which only paths, ports and addresses are replaced. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../until.js';

export interface Certificate {
  /** Paths of files in PEM; HAProxy wants certificate and key in one */
  key: string;
  cert: string;
  both: string;
  /** What a client trusts */
  ca: string;
}

export async function selfSigned(folder: string, host: string): Promise<Certificate> {
  const [key, cert, both] = ['key.pem', 'cert.pem', 'both.pem'].map((file) => join(folder, file)) as [
    string,
    string,
    string,
  ];
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ');
  const name = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  execFileSync('openssl', [...words, ...name, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const ca = await readFile(cert, 'utf8');
  await writeFile(both, ca + (await readFile(key, 'utf8')));
  return { key, cert, both, ca };
}

/** @throws {Error} if one of them is not exactly once in the file */
export async function replaced(file: string, changes: Record<string, string>): Promise<string> {
  let text = await readFile(file, 'utf8');
  for (const [from, to] of Object.entries(changes)) {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${file} has "${from}" ${parts.length - 1} times`);
    text = parts.join(to);
  }
  return text;
}

/** Writes what stands in `conf.d`, and the file that includes it. @returns the words of the command */
export async function nginxWords(folder: string, included: string): Promise<string[]> {
  await mkdir(join(folder, 'logs')); // it writes there before it has read its configuration
  await writeFile(join(folder, 'ours.conf'), included);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; ${user} pid nginx.pid; error_log errors.log; events {}
    http { access_log off; ${temporary.join(' ')} include ours.conf; }`,
  );
  return ['-p', folder, '-c', join(folder, 'nginx.conf')];
}

/** Runs it until it answers. @param isUp asks it */
export async function startProgram(
  program: string,
  words: string[],
  isUp: () => Promise<boolean>,
  env: Record<string, string> = {},
): Promise<AsyncDisposable> {
  const started = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  const exited = once(started, 'exit');
  let errors = '';
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-10_000);
  });
  await until(`${program} answers`, async () => {
    if (started.exitCode !== null) throw new Error(`${program} has ended: ${errors}`);
    return isUp();
  });
  return {
    [Symbol.asyncDispose]: async () => {
      started.kill('SIGTERM');
      await exited;
    },
  };
}
