/** Reads a mail as it came over the wire, with nothing of the package that wrote it. */

export interface ReceivedMail {
  raw: string;
  /** Names in lower case; encoded words are decoded */
  headers: Map<string, string>;
  subject: string;
  text: string;
  /** Of a mail with two parts */
  html: string;
  /** The link in the text */
  link: string | undefined;
  /** The token in that link */
  token: string | undefined;
}

/** @throws {Error} if it has a field twice, or other parts than a text and then the same in HTML */
export function readMail(raw: string): ReceivedMail {
  const { headers, body } = readPart(raw.replaceAll('\r\n', '\n'));
  const boundary = /^multipart\/alternative; boundary="(.+)"$/.exec(headers.get('content-type') ?? '')?.[1];
  const parts = boundary === undefined ? [] : `\n${body}`.split(`\n--${boundary}`).slice(1, -1);
  const [text = { headers, body }, html] = parts.map((part) => readPart(part.slice(1)));
  const types = [text, html].map((part) => part?.headers.get('content-type'));
  if (boundary !== undefined && types.join() !== 'text/plain; charset=utf-8,text/html; charset=utf-8')
    throw new Error(`parts of ${types}`);
  const link = /https?:\S+#(?:token|email|undo)=\S+/.exec(text.body)?.[0];
  const token = link?.split(/#\w+=/)[1];
  return { raw, headers, subject: headers.get('subject') ?? '', text: text.body, html: html?.body ?? '', link, token };
}

function readPart(part: string): { headers: Map<string, string>; body: string } {
  const end = part.indexOf('\n\n');
  const fields = part
    .slice(0, end)
    .replace(/\n[ \t]+/g, ' ')
    .split('\n');
  const headers = new Map<string, string>();
  for (const field of fields) {
    const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/.exec(field) ?? [];
    if (headers.has(name.toLowerCase()) && name !== 'Received') throw new Error(`two fields ${name}`);
    headers.set(name.toLowerCase(), decodeWords(value));
  }
  return { headers, body: decodeBody(part.slice(end + 2), headers.get('content-transfer-encoding') ?? '7bit') };
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding === 'quoted-printable') return fromQuoted(body.replace(/=\n/g, ''));
  return body;
}

function fromQuoted(text: string): string {
  const bytes = text.replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** RFC 2047 */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?(.*?)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString('utf8') : fromQuoted(word.replaceAll('_', ' ')),
    );
}
