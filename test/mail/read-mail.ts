/** Reads a mail as it came over the wire, with nothing of the package that wrote it. */

export interface ReceivedMail {
  raw: string;
  /** Names in lower case; encoded words are decoded */
  headers: Map<string, string>;
  subject: string;
  text: string;
  /** The link in the text */
  link: string | undefined;
  /** The token in that link */
  token: string | undefined;
}

export function readMail(raw: string): ReceivedMail {
  const normal = raw.replaceAll('\r\n', '\n');
  const end = normal.indexOf('\n\n');
  const fields = normal
    .slice(0, end)
    .replace(/\n[ \t]+/g, ' ')
    .split('\n');
  const headers = new Map<string, string>();
  for (const field of fields) {
    const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/.exec(field) ?? [];
    if (headers.has(name.toLowerCase()) && name !== 'Received') throw new Error(`two fields ${name}`);
    headers.set(name.toLowerCase(), decodeWords(value));
  }
  const text = decodeBody(normal.slice(end + 2), headers.get('content-transfer-encoding') ?? '7bit');
  const link = /https?:\S+#token=\S+/.exec(text)?.[0];
  return { raw, headers, subject: headers.get('subject') ?? '', text, link, token: link?.split('#token=')[1] };
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
