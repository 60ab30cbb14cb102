/**
 * A real mail server, Exim, if the machine has one. Tests start it as root. (OpenSMTPD, which is smaller, cannot speak TLS as
 * Debian 12 builds it: https://github.com/OpenSMTPD/OpenSMTPD/issues/1171)
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.js';
import { isRoot } from './as-user.js';
import { freePort } from './redis.js';

export const hasExim = (isRoot && spawnSync('exim4', ['-bV']).status === 0) || process.env['REQUIRE_PROGRAMS'] === '1';

export const USER = 'mailer@example.com';
/** Has what must be encoded in a URL. */
export const USER_PASSWORD = 'p/#?@%w';

export interface Exim extends AsyncDisposable {
  /** Without TLS and without a login */
  plainPort: number;
  /** STARTTLS is offered, and mail is accepted only behind it */
  starttlsPort: number;
  /** TLS from the start, and a login by USER and USER_PASSWORD is needed */
  smtpsPort: number;
  /** What a client must trust: its certificate is for `localhost`, 127.0.0.1 and 0.0.0.0 */
  ca: string;
  /** Mails as delivered to anybody at example.com, in the order in which this saw them; it refuses other recipients */
  mails(): Promise<string[]>;
  /** Resolves with the mails once there are so many. */
  reached(count: number): Promise<string[]>;
  stop(): Promise<void>;
  /** Starts it again, on the same ports. */
  start(): Promise<void>;
}

/** The user that Debian's Exim runs as */
const EXIM_USER = 'Debian-exim';

export async function startExim(): Promise<Exim> {
  const folder = await mkdtemp(join(tmpdir(), 'exim-'));
  await chmod(folder, 0o755);
  const idOf = (kind: string): number => Number(execFileSync('id', [kind, EXIM_USER], { encoding: 'utf8' }));
  for (const name of ['spool', 'box']) {
    await mkdir(join(folder, name));
    await chown(join(folder, name), idOf('-u'), idOf('-g'));
  }
  const [plainPort, starttlsPort, smtpsPort] = [await freePort(), await freePort(), await freePort()];
  const ca = await writeCertificate(folder);
  const file = join(folder, 'exim.conf');
  await writeFile(file, configuration(folder, { plainPort, starttlsPort, smtpsPort }));
  const server = runner(file, plainPort);
  await server.start();

  const seen = new Map<string, string>();
  const mails = async (): Promise<string[]> => {
    const box = join(folder, 'box', 'new');
    const names = await readdir(box).catch(() => []);
    for (const name of names.toSorted()) if (!seen.has(name)) seen.set(name, await readFile(join(box, name), 'utf8'));
    return [...seen.values()];
  };
  return {
    plainPort,
    starttlsPort,
    smtpsPort,
    ca,
    mails,
    reached: async (count) => {
      await until(`${count} mails`, async () => (await mails()).length >= count);
      return mails();
    },
    ...server,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}

type Ports = Pick<Exim, 'plainPort' | 'starttlsPort' | 'smtpsPort'>;

function configuration(folder: string, { plainPort, starttlsPort, smtpsPort }: Ports): string {
  const wants = (port: number, what: string): string =>
    `condition = \${if eq{$received_port}{${port}}{\${if def:${what}{no}{yes}}}{no}}`;
  return `
primary_hostname = mail.example.com
spool_directory = ${folder}/spool
log_file_path = ${folder}/spool/%slog
pid_file_path = ${folder}/spool/pid
local_interfaces = 127.0.0.1 : 127.0.0.2
daemon_smtp_ports = ${plainPort} : ${starttlsPort} : ${smtpsPort}
tls_on_connect_ports = ${smtpsPort}
tls_certificate = ${folder}/cert.pem
tls_privatekey = ${folder}/key.pem
tls_advertise_hosts = \${if eq{$received_port}{${plainPort}}{}{*}}
auth_advertise_hosts = \${if eq{$received_port}{${smtpsPort}}{*}{}}
never_users =
rfc1413_query_timeout = 0s
acl_smtp_mail = sender
acl_smtp_rcpt = recipient
acl_smtp_data = accept
begin acl
sender:
  deny ${wants(starttlsPort, 'tls_in_cipher')}
  deny ${wants(smtpsPort, 'authenticated_id')}
  accept
recipient:
  deny !domains = example.com
  accept
begin routers
all:
  driver = accept
  transport = box
begin transports
box:
  driver = appendfile
  maildir_format
  directory = ${folder}/box
  user = ${EXIM_USER}
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_condition = \${if and{{eq{$auth2}{${USER}}}{eq{$auth3}{${USER_PASSWORD}}}}}
  server_set_id = $auth2
`;
}

async function writeCertificate(folder: string): Promise<string> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost'.split(' ');
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:0.0.0.0'];
  execFileSync('openssl', [...words, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  await chmod(key, 0o644); // Exim reads it as its own user
  return readFile(cert, 'utf8');
}

function runner(file: string, port: number): Pick<Exim, 'start' | 'stop'> {
  let stop = async (): Promise<void> => undefined;
  return {
    start: async () => {
      // In a group of its own, because each connection has a process, which would outlive the first one.
      const server = spawn('exim4', ['-C', file, '-bdf'], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
      const ended = once(server, 'exit');
      let said = '';
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-2_000);
      });
      stop = async () => {
        if (server.exitCode === null && server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
        await ended;
      };
      await until('the mail server answers', async () => {
        if (server.exitCode !== null) throw new Error(`Exim did not start: ${said}`);
        return answers(port);
      });
    },
    stop: () => stop(),
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
