/** What must hold for every answer, whatever was asked. */
import { KEYRING_FILE, required } from '../../test/support/postgres/postgres.js';
import { MARK, type Secret } from './dice.js';
import type { Answer, Exchange } from './exchange.js';
import type { Oracle } from './findings.js';
import type { HttpRequest, RawRequest } from './request.js';

type Report = (oracle: Oracle, group: string) => void;

export const LATE_MS = 1_000;

export function judge(sent: HttpRequest | RawRequest, { answers }: Exchange, secret: Secret, report: Report): void {
  for (const given of answers) {
    const answer = withoutSignatureBase(given);
    if (answer.isBroken) report('answered', `a broken answer, ${answer.status}`);
    judgeStatus(answer, report);
    judgeBody(sent, answer, report);
    judgeEcho(sent, answer, secret, report);
    judgePass(sent, answer, report);
    const inside = INSIDE.exec(withoutKeyringFile(sent, answer.body).replace(RANDOM_TEXT, '…'));
    if (inside !== null) report('inside', `${inside[0]}`);
  }
  if ('method' in sent) judgeCharset(sent, answers, report);
}

/** Which gives back what was signed, to its sender, on purpose. */
function withoutSignatureBase(answer: Answer): Answer {
  return { ...answer, body: answer.body.replace(/,"signature(?:Base|_base)":"(?:\\.|[^"\\])*"/, '') };
}

/** Administrators who ask for the settings read where the keyring is, on purpose. (Interface 11) */
function withoutKeyringFile(sent: HttpRequest | RawRequest, body: string): string {
  const isAsked = 'body' in sent && sent.body.includes('settings');
  return isAsked ? body.replaceAll(required(KEYRING_FILE), '…') : body;
}

/** As text, so that alike ones fall together: no names, no numbers. */
function alike(message: string): string {
  return message
    .replace(/"(?:\\.|[^"\\])*"/g, '"…"')
    .replace(/\d+/g, 'N')
    .slice(0, 160);
}

function judgeStatus({ status, body }: Answer, report: Report): void {
  if (status >= 500) report('5xx', `${status} ${alike(body)}`);
  for (const error of errorsOf(body)) {
    const code = String(error.extensions?.code);
    if (!CODES.has(code)) report('5xx', `code ${code}: ${alike(String(error.message))}`);
  }
}

/** Those of Interface 7, and those by which Apollo refuses a document. */
const CODES = new Set([
  ...[
    'UNAUTHENTICATED',
    'CONFIRMATION_REQUIRED',
    'FORBIDDEN',
    'NOT_FOUND',
    'CONFLICT',
    'BAD_USER_INPUT',
    'RATE_LIMITED',
    'OPERATION_TOO_COSTLY',
  ],
  ...[
    'GRAPHQL_PARSE_FAILED',
    'GRAPHQL_VALIDATION_FAILED',
    'OPERATION_RESOLUTION_FAILURE',
    'BAD_REQUEST',
    'PERSISTED_QUERY_NOT_SUPPORTED',
  ],
]);

interface GraphqlError {
  message?: unknown;
  extensions?: { code?: unknown };
}

/** The errors of a GraphQL answer; those of a validated login body have no message of their own kind. */
function errorsOf(body: string): GraphqlError[] {
  const { errors, detail } = read(body) as { errors?: unknown; detail?: unknown };
  return Array.isArray(errors) && detail === undefined ? errors : [];
}

function read(body: string): object {
  try {
    const json: unknown = JSON.parse(body);
    return typeof json === 'object' && json !== null ? json : {};
  } catch {
    return {};
  }
}

function judgeBody(sent: HttpRequest | RawRequest, { status, headers, body }: Answer, report: Report): void {
  if (status === 204 || ('method' in sent && sent.method === 'HEAD')) return;
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? 'none';
  if (status === 200 && hasIdentity(headers)) {
    if (body !== '') report('json', 'a body for a proxy');
    return;
  }
  if (status < 400 && type.startsWith('text/html')) return; // the page at `/`, which development has
  // On a bare connection an answer to HEAD is known by the length that it names and does not have.
  const length = headers.find(([name]) => name === 'content-length')?.[1] ?? '0';
  if (body === '' && !('method' in sent) && length !== '0') return;
  const json = read(body) as { detail?: unknown; errors?: unknown; data?: unknown };
  const isGraphql = Array.isArray(json.errors) || 'data' in json;
  const isReadable = /^application\/(?:[\w.-]+\+)?json/.test(type) && body !== '';
  const says = typeof json.detail === 'string' || isGraphql;
  if (!isReadable || (status >= 400 && !says)) report('json', `${status}, ${type}: ${alike(body.slice(0, 80))}`);
}

const IDENTITY = ['caller-type', 'caller-id', 'role', 'scopes', 'assertion'].map((name) => `x-auth-${name}`);

function hasIdentity(headers: Answer['headers']): boolean {
  return headers.some(([name]) => name === IDENTITY[0]);
}

/** Who is calling is said with 200 alone, and then whole. */
function judgePass(sent: HttpRequest | RawRequest, { status, headers }: Answer, report: Report): void {
  const given = headers.filter(([name, value]) => IDENTITY.includes(name) && value !== '').map(([name]) => name);
  if (status !== 200) {
    if (given.length > 0) report('passes', `${status} has ${given.join()}`);
    return;
  }
  const isQuestion = 'method' in sent && sent.mayPass !== undefined;
  if (!hasIdentity(headers)) {
    if (isQuestion) report('passes', '200 without who is calling');
    return;
  }
  if (given.toSorted().join() !== IDENTITY.toSorted().join()) report('passes', `200 has ${given.join()}`);
  if (!isQuestion || !sent.mayPass) report('passes', '200 without a valid credential');
}

/** Tokens, keys and their ids: among random letters, three in their order come about by chance. */
const RANDOM_TEXT = /[\w-]{32,}|\b[ac]k_\w+/g;

const INSIDE = new RegExp(
  [
    '\\\\n\\s+at |node_modules|\\bnode:|\\.[jt]s:\\d|/(?:tmp|home|usr|var|dist|src)/',
    '\\b(?:select|insert|update|delete) (?:\\*|into|from|set|\\\\?")|violates|syntax error at|relation \\\\?"|pg_\\w|byte sequence',
    'is not a function|Cannot read prop|of undefined|TypeError|RangeError|Maximum call stack|Unexpected token',
    'MikroORM|Kysely|PostgreSQL|argon2|zod|ECONN|ENOENT',
  ].join('|'),
);

function judgeEcho(
  { mayEcho }: HttpRequest | RawRequest,
  { headers, body }: Answer,
  secret: Secret,
  report: Report,
): void {
  const { word, digits } = secret;
  const isIn = (text: string): boolean =>
    text.toLowerCase().includes(word.toLowerCase().slice(0, 9)) || text.includes(digits);
  for (const [name, value] of headers) if (isIn(value)) report('echo', `header ${name}`);
  if (mayEcho === 'anywhere' || !isIn(body)) return;
  const { errors, data, detail } = read(body) as { errors?: unknown; data?: unknown; detail?: unknown };
  const messages = (Array.isArray(errors) ? errors : []).filter((error) => isIn(JSON.stringify(error)));
  const groups = new Set(messages.map(({ message }: GraphqlError) => beforeSecret(String(message), secret)));
  for (const group of groups) report('echo', `in errors: ${group}`);
  if (isIn(String(detail))) report('echo', `in detail: ${beforeSecret(String(detail), secret)}`);
  else if (groups.size === 0 && mayEcho === 'nowhere') report('echo', data === undefined ? 'in the body' : 'in data');
}

/** The sentence as far as the value, so that groups do not differ by what was sent. */
function beforeSecret(message: string, { word, digits }: Secret): string {
  const [before = ''] = message.split(new RegExp(`\\S*(?:${word.slice(0, 9)}|${digits})`, 'i'));
  return `${alike(before).replace(/(?<=value:|found|string) .*$/s, '')} VALUE`;
}

/** For lines of the log: whichever request it was of. */
export const ANY_SECRET = new RegExp(MARK, 'i');

function judgeCharset({ path, headers, body }: HttpRequest, [answer]: Answer[], report: Report): void {
  const type = headers.find(([name]) => name === 'Content-Type')?.[1] ?? '';
  const charset = /^application\/json; charset=("?)([\w-]+)\1$/.exec(type)?.[2];
  if (path !== '/auth/login' || body.length === 0 || charset === undefined || /^utf-?8$/i.test(charset)) return;
  if ([200, 401, 422].includes(answer?.status ?? 0)) report('charset', `${charset} is read`);
}
