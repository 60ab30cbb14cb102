/** Faults of DATABASE_URL that the driver finds at the start of a connection, and tells by a text without a code. */

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
    /^The server does not support SSL connections$/,
    {
      seen: 'the server speaks no TLS',
      remedy: 'set ssl = on in postgresql.conf, or take sslmode out of DATABASE_URL where the way is safe',
    },
  ],
];

/** What the error, or what it was caused by, says about DATABASE_URL; undefined for any other. */
export function wayFaultOf(error: unknown): WayFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, fault] = FAULTS.find(([text]) => text.test(error.message)) ?? [];
  return fault ?? wayFaultOf(error.cause);
}
