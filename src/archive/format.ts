/**
 * The file of `database export`: gzip (RFC 1952) of lines in UTF-8. The first is the header, in JSON. Then each table:
 * a JSON line with its name and columns, its rows in the text format of PostgreSQL's COPY, and the line `\.`. The last
 * two lines, in JSON, are the trailer and the MACs of everything before. See docs/backup.md. (Interface 9)
 */
import * as z from 'zod';

export const FORMAT = 'auth-gateway database';
export const FORMAT_VERSION = 3;
export const OLDEST_FORMAT_VERSION = 2;

/** Ends the rows of a table. No row is like this, since COPY doubles backslashes. */
export const END_OF_ROWS = '\\.';

/** Limit of JSON lines. */
export const MAX_LINE_BYTES = 2 ** 20;

/** Recognises our files, including those of later versions. */
export const anyHeader = z.looseObject({ format: z.literal(FORMAT), format_version: z.int() });

const oldestHeader = z.strictObject({
  format: z.literal(FORMAT),
  format_version: z.literal(OLDEST_FORMAT_VERSION),
  gateway_version: z.string(),
  /** RFC 3339, by the clock of the database */
  taken_at: z.iso.datetime(),
  migrations: z.array(z.string()),
  /** `keyringFingerprint` at that time */
  keyring_sha256: z.string(),
  needs_keys: z.array(
    z.strictObject({
      kid: z.string(),
      kind: z.enum(['access', 'refresh', 'sealing']),
      thumbprint: z.string(),
      until: z.iso.datetime().nullable(),
    }),
  ),
  /** `kid`s of the keys that made the MACs in the last line */
  authenticated_by: z.array(z.string()),
});
const latestHeader = oldestHeader.extend({
  format_version: z.literal(FORMAT_VERSION),
  /** The commit of the program that wrote it */
  revision: z.string(),
});

export const header = z.discriminatedUnion('format_version', [latestHeader, oldestHeader]);
export type Header = z.infer<typeof header>;
export type LatestHeader = z.infer<typeof latestHeader>;

export const tableHead = z.strictObject({ table: z.string(), columns: z.array(z.string()) });
export type TableHead = z.infer<typeof tableHead>;

export const trailer = z.strictObject({
  /** Number of rows by table */
  rows: z.record(z.string(), z.int().nonnegative()),
  /** In hex, over the rows of all tables as in the file */
  sha256: z.string(),
});
export type Trailer = z.infer<typeof trailer>;

export const lastLine = z.strictObject({
  /** In hex, in the order of `authenticated_by`: see `authenticity.ts` */
  hmac_sha256: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
});
export type LastLine = z.infer<typeof lastLine>;

/**
 * The gzip header of each file, without name, time or system (RFC 1952 section 2.3.1). gzip does not check its header, so
 * an import compares it.
 */
export const FIRST_BYTES = Buffer.from('1f8b08000000000000ff', 'hex');
