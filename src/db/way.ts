/** Faults of the way to the server that the driver finds at the start of a connection, and tells by a text without a code. */

export interface WayFault {
  seen: string;
  remedy: string;
}

const FAULTS: Array<[text: RegExp, fault: WayFault]> = [
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
];

/** What the error, or what it was caused by, says about the way; undefined for any other. */
export function wayFaultOf(error: unknown): WayFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, fault] = FAULTS.find(([text]) => text.test(error.message)) ?? [];
  return fault ?? wayFaultOf(error.cause);
}
