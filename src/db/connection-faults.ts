/** Faults of the way to the server that are found at the start of a connection: the driver has a text for them, TLS a code of Node. */

export interface ConnectionFault {
  seen: string;
  remedy: string;
}

const FAULTS: Array<[codeOrText: RegExp, fault: ConnectionFault]> = [
  [
    /^SASL: .*client password must be/,
    {
      seen: 'the server asks for a password, and DATABASE_URL has none',
      remedy: 'set it: postgresql://USER:PASSWORD@HOST/DATABASE',
    },
  ],
  [
    /^(SASL: Only mechanism|Unknown authenticationOk message type)/,
    {
      seen: 'the server asks for another proof than a password',
      remedy: 'ask the user of DATABASE_URL for scram-sha-256 in pg_hba.conf',
    },
  ],
  [
    /^SASL: .*exceeds scramMaxIterations/,
    {
      seen: 'the password of the user is kept with more SCRAM iterations than are computed here (100,000)',
      remedy: 'lower scram_iterations in postgresql.conf, then set the password of the user anew',
    },
  ],
  [
    /^SASL: /,
    {
      seen: 'the server does not prove that it knows the password',
      remedy: 'look whether host and port of DATABASE_URL lead to PostgreSQL itself',
    },
  ],
  [
    /^The server does not support SSL connections$/,
    {
      seen: 'the server speaks no TLS',
      remedy: 'set ssl = on in postgresql.conf, or take sslmode out of DATABASE_URL where the way is safe',
    },
  ],
  [
    /^(ERR_SSL_\w+|EPROTO|There was an error establishing an SSL connection)$/,
    {
      seen: 'the server does not agree to TLS',
      remedy: 'look whether host and port of DATABASE_URL lead to PostgreSQL itself, and at its log',
    },
  ],
  [
    /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    {
      seen: 'the certificate of the server has expired, or is not valid yet',
      remedy: 'renew it and reload PostgreSQL, or mend the clock of this machine',
    },
  ],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    {
      seen: 'the certificate of the server is for another name',
      remedy: 'set the host of DATABASE_URL to a name of its certificate',
    },
  ],
  [
    /^(CERT_\w+|(DEPTH_ZERO_)?SELF_SIGNED_CERT\w*|UNABLE_TO_\w+|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED)$/,
    {
      seen: 'the certificate of the server is not trusted',
      remedy: 'add sslrootcert=FILE to DATABASE_URL, with the authority that has signed it',
    },
  ],
];

/** What the error, or what it was caused by, says about the way; undefined for any other. */
export function connectionFaultOf(error: unknown): ConnectionFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = error.message } = error as NodeJS.ErrnoException;
  const [, fault] = FAULTS.find(([codeOrText]) => codeOrText.test(code)) ?? [];
  return fault ?? connectionFaultOf(error.cause);
}
