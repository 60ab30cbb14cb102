/**
 * Interface 9: the file of `database export`: gzip (RFC 1952) of lines in UTF-8. The first is the header, as JSON. Each
 * table follows: a line of JSON that names it and its columns, its rows in the text format of PostgreSQL's COPY, and the
 * line `\.`. The trailer follows, and a last line with the MACs of all before it, both as JSON. See docs/backup.md.
 */
import * as z from 'zod';

export const FORMAT = 'auth-gateway database';
export const FORMAT_VERSION = 2;
/** Those that an import reads */
export const FORMAT_VERSIONS: readonly number[] = [1, FORMAT_VERSION];

/** Ends the rows of a table: no row has this line, since COPY writes a backslash as two. */
export const END_OF_ROWS = '\\.';

/** No line of JSON is longer: bytes. */
export const MAX_LINE_BYTES = 2 ** 20;

/** Tells our files from others, and those of a later version. */
export const anyHeader = z.looseObject({ format: z.literal(FORMAT), format_version: z.int() });

const common = {
  format: z.literal(FORMAT),
  gateway_version: z.string(),
  /** RFC 3339, by the clock of the database */
  taken_at: z.iso.datetime(),
  /** Names of those that the tables have gone through */
  migrations: z.array(z.string()),
  /** `keyringFingerprint` of the keyring at that time */
  keyring_sha256: z.string(),
  needs_keys: z.array(
    z.strictObject({
      kid: z.string(),
      kind: z.enum(['access', 'refresh', 'sealing']),
      thumbprint: z.string(),
      until: z.iso.datetime().nullable(),
    }),
  ),
};
const latestHeader = z.strictObject({
  ...common,
  format_version: z.literal(FORMAT_VERSION),
  /** `kid`s of the keys whose MACs are the last line */
  authenticated_by: z.array(z.string()),
});
/** Format 1 ended with the trailer. */
const headerOf1 = z.strictObject({ ...common, format_version: z.literal(1) });

export const header = z.discriminatedUnion('format_version', [latestHeader, headerOf1]);
export type Header = z.infer<typeof header>;
export type LatestHeader = z.infer<typeof latestHeader>;

export const tableHead = z.strictObject({ table: z.string(), columns: z.array(z.string()) });
export type TableHead = z.infer<typeof tableHead>;

export const trailer = z.strictObject({
  /** How many, by table */
  rows: z.record(z.string(), z.int().nonnegative()),
  /** In hex, over the rows of all tables, in their order, as they stand in the file */
  sha256: z.string(),
});
export type Trailer = z.infer<typeof trailer>;

export const lastLine = z.strictObject({
  /** In hex, in the order of `authenticated_by`: see `authenticity.ts` */
  hmac_sha256: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
});
export type LastLine = z.infer<typeof lastLine>;

/**
 * The first bytes of each file: gzip's own, without name, time or system (RFC 1952 section 2.3.1). gzip checks the
 * content alone, so a file that begins with others is taken for damaged.
 */
export const FIRST_BYTES = Buffer.from('1f8b08000000000000ff', 'hex');
