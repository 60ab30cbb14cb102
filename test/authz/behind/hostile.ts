/** Hostile requests: how a row of a table is written, sent and judged. */
import { type CallerName, credentialOf } from './credentials.js';
import { rowsOf, type Site, type Verdict, verdictOf } from './site.js';

export interface Hostile {
  /** `GET /x` if left out */
  line?: string;
  /** Values of Host; one, the right one, if left out */
  host?: string[];
  /** Whose credential is sent: the viewer's if left out */
  as?: CallerName | 'nobody';
  /** What a key signs, if it is another request than this one */
  signs?: { method?: string; target?: string; authority?: string; body?: string };
  /** Further lines of the head, with secrets in braces */
  fields?: string[];
  body?: string;
}

/** Per proxy where they differ */
export type Expected = Verdict | { nginx: Verdict; haproxy: Verdict; caddy: Verdict };

export type HostileRow = [title: string, request: Hostile, expected: Expected];

/** The bytes of a request */
function bytesOf(
  site: Site,
  { line = 'GET /x', host = ['app.example.com'], as = 'viewer', signs, fields = [], body = '' }: Hostile,
) {
  const [method = '', target = ''] = line.split(' ');
  const credential = Object.entries(credentialOf(site, as, signs ?? { method, target, body }));
  const head = [
    line.split(' ').length > 2 ? line : `${line} HTTP/1.1`,
    ...host.map((value) => `Host: ${value}`),
    ...credential.map(([name, value]) => `${name}: ${value}`),
    ...fields.map((field) => field.replace(/\{(\w+)\}/g, (_, name: keyof Site['secrets']) => site.secrets[name])),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends each request. Whatever comes of it, it wrote no row. */
export async function expectVerdicts(site: Site, rows: HostileRow[]): Promise<void> {
  const before = await rowsOf(site);
  const got: Record<string, string> = {};
  for (const [title, request] of rows) {
    site.service.taken();
    await site.proxy.exchange(bytesOf(site, request));
    got[title] = verdictOf(site, site.service.taken());
  }
  const expected = rows.map(([title, , verdict]) => [
    title,
    typeof verdict === 'string' ? verdict : verdict[site.kind],
  ]);
  expect(got).toEqual(Object.fromEntries(expected));
  expect(await rowsOf(site)).toEqual(before);
}
