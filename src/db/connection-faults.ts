/** Why there is no connection to PostgreSQL, and how to fix it. Of some faults the driver has only a text, of TLS a code. */
import { ENCODED } from '../config/url-encoding.js';
import { errorLabel } from '../platform/error-label.js';
import type { Explanation } from '../platform/explained.js';
import { type TlsFault, tlsFaultOf } from '../platform/tls-faults.js';

interface ConnectionFault extends Explanation {
  remedy: string;
}

type Row = [codeOrText: RegExp, reason: string, remedy: string];

const CHECK_ADDRESS = 'check that host and port in DATABASE_URL lead to PostgreSQL itself';

/** The text of the error if `channel_binding=require` is not met. */
export const NO_CHANNEL_BINDING = 'SASL: no channel binding';

/** Texts of the driver and its pool that are safe to log: they never quote a row. */
export const DRIVER_TEXTS = [
  /^timeout exceeded when trying to connect$/,
  /^timeout expired$/,
  /^Query read timeout$/,
  /^Connection terminated( unexpectedly| due to connection timeout)?$/,
  /^Client has encountered a connection error and is not queryable$/,
  /^Client was closed and is not queryable$/,
  /^Cannot use a pool after calling end on the pool$/,
  /^SASL: [\w ():-]+$/,
  /^Unknown authenticationOk message type \d+$/,
  /^The server does not support SSL connections$/,
  /^There was an error establishing an SSL connection$/,
];

/** The driver's own faults. */
const DRIVER_FAULTS: Row[] = [
  [
    /^SASL(: no channel binding$| channel binding: )/,
    'the server does not bind the password to its certificate, as channel_binding=require demands',
    'set scram-sha-256 for the user of DATABASE_URL in pg_hba.conf, and connect to PostgreSQL itself; or remove channel_binding',
  ],
  [
    /^SASL: .*client password must be/,
    'the server requires a password, and DATABASE_URL has none',
    'set it: postgresql://USER:PASSWORD@HOST/DATABASE',
  ],
  [
    /^(SASL: Only mechanism|Unknown authenticationOk message type)/,
    'the server requires another authentication method',
    'set scram-sha-256 for the user of DATABASE_URL in pg_hba.conf',
  ],
  [
    /^SASL: .*exceeds scramMaxIterations/,
    'the password is stored with more SCRAM iterations than the gateway computes (100,000)',
    'lower scram_iterations in postgresql.conf, then set the password again',
  ],
  [/^SASL: /, 'the server does not prove that it knows the password', CHECK_ADDRESS],
  [
    /^The server does not support SSL connections$/,
    'the server does not support TLS',
    'set ssl = on in postgresql.conf; or, if the network is safe, remove sslmode from DATABASE_URL',
  ],
  [
    /^There was an error establishing an SSL connection$/,
    'the server refuses TLS',
    `${CHECK_ADDRESS}, and read its log`,
  ],
];

const TLS_REMEDIES: Record<TlsFault, string> = {
  expired: 'renew it and reload PostgreSQL',
  not_yet_valid: 'correct the clock of this machine (timedatectl set-ntp true)',
  wrong_name: 'set the host in DATABASE_URL to a name of the certificate',
  unknown_ca: 'add sslrootcert=FILE to DATABASE_URL, with the certificate of that CA',
  no_tls: `${CHECK_ADDRESS}, and read its log`,
};

/** Codes of the system and of PostgreSQL. */
const CODES: Row[] = [
  [/^(ECONNREFUSED|ENOENT)$/, 'nothing listens there', 'start PostgreSQL, or correct host and port in DATABASE_URL'],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    'there is no host of that name',
    'correct the host in DATABASE_URL, or fix the DNS of this machine',
  ],
  [/^3D000$/, 'there is no database of that name', 'create it (createdb NAME), or correct its name in DATABASE_URL'],
  [
    /^28P01$/,
    'the user or the password is refused',
    `correct user and password in DATABASE_URL ${ENCODED}, or allow them in pg_hba.conf`,
  ],
  [
    /^28/,
    'the user or the password is refused',
    'correct user and password in DATABASE_URL, or allow them in pg_hba.conf',
  ],
  [/^53300$/, 'no connection is left', 'raise max_connections of PostgreSQL, or end what uses them up'],
];

/** What the error, or its cause, says about authentication or TLS; undefined for any other. */
export function connectionFaultOf(error: unknown): ConnectionFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = error.message } = error as NodeJS.ErrnoException;
  const tls = tlsFaultOf(code);
  if (tls !== undefined) return { reason: `${tls.reason} (${code})`, remedy: TLS_REMEDIES[tls.fault] };
  return rowFor(code, DRIVER_FAULTS) ?? connectionFaultOf(error.cause);
}

/** @param error by which a connection failed, or a statement because the server is away */
export function explainUnreachable(error: unknown): ConnectionFault {
  const label = errorLabel(error, DRIVER_TEXTS);
  const { reason, remedy } = connectionFaultOf(error) ?? {
    reason: `no answer (${label})`,
    remedy: 'check that PostgreSQL runs, and that no firewall is in the way',
    ...rowFor(label, CODES, ` (${label})`),
  };
  return { reason: `the database cannot be reached: ${reason}`, remedy };
}

function rowFor(codeOrText: string, rows: Row[], suffix = ''): ConnectionFault | undefined {
  const [, reason, remedy] = rows.find(([pattern]) => pattern.test(codeOrText)) ?? [];
  return reason && remedy ? { reason: `${reason}${suffix}`, remedy } : undefined;
}
