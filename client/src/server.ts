/**
 * For services behind the gateway: they ask it who sent a request, without a proxy in front of them. It needs only Node, so
 * you can copy this file into your own project.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

export interface Question {
  /** The gateway, such as `https://auth.example.com`. Its answer is believed, so reach it by https or in a trusted network */
  url: string;
  /**
   * Origin of this service, one of the gateway's FORWARD_AUTH_ORIGINS, such as `https://app.example.com`. Write it into the
   * configuration. Never take it from the request: a client that sends `Host` could then present here what was signed for
   * another service.
   */
  origin: string;
  /** Who may pass, such as `caller=user,api_key;role=admin;scope=invoices:read` */
  rule: string;
  /** Bytes of the body as sent, if something has read it already. Undefined: it is still to be read */
  body?: Uint8Array | undefined;
  /** How much is read of the body of a signed request. Default: 1 MiB */
  maxBodyBytes?: number;
  /** How long to wait for the gateway. Default: 5,000 */
  timeoutMs?: number;
  /** Ends the wait too */
  signal?: AbortSignal;
}

/** Who sent the request. `id` is the id of the user or key. */
export type Caller =
  | { callerType: 'user'; id: string; role: 'viewer' | 'analyst' | 'admin'; scopes: string[] }
  | { callerType: 'api_key'; id: string; serviceName: string; scopes: string[] }
  | { callerType: 'cron'; id: string; serviceName: string; scopes: string[] };

export interface KnownCaller {
  kind: 'caller';
  caller: Caller;
  /** A JWT of 60 s that says the same; a service behind this one can verify it */
  assertion: string;
  /** Of a signed request: the bytes that its signature covers, empty without a body. Otherwise the body is left unread */
  body?: Uint8Array;
}

/** A browser asks whether it may send a request from another origin. Only if the rule has `preflight=allow`. */
export interface Preflight {
  kind: 'preflight';
}

/** Send `status`, `headers` and `json` as the answer. */
export interface Refused {
  kind: 'refused';
  status: 401 | 403 | 413 | 429 | 503;
  /** Such as `invalid_token` */
  reason: string;
  /** A sentence for the sender of the request */
  detail: string;
  headers: Record<string, string>;
  /** The body of the answer */
  json: string;
  /** Of a 503: why the gateway gave no answer, for your log */
  cause?: unknown;
}

export type Answer = KnownCaller | Preflight | Refused;

/** A request of `node:http` or `node:http2`, also as Express and Fastify (`request.raw`) have it. */
export type NodeRequest = (IncomingMessage | Http2ServerRequest) & { originalUrl?: string };

/** Credentials, and what they are about. One that is sent twice is refused: different programs would read different ones. */
const SENT_ONCE = [
  'authorization',
  'x-internal-key',
  'content-type',
  'content-digest',
  'origin',
  'access-control-request-method',
];
/** Lists (RFC 9110 section 5.3), or fields that decide nothing: joined as HTTP has it. */
const JOINED = ['signature', 'signature-input', 'tracestate', 'traceparent', 'x-request-id'];
/** What a service could take for the gateway's own. The gateway refuses a request that has one. */
const IDENTITY_FIELD = /^x[-_.]auth[-_.]/i;

const RULE = /^[\w:=;,.-]+$/;
const BODY_IS_READ =
  'The body has been read already: give its bytes to whoIsCalling as `body`, before anything parses or inflates them';

/**
 * Asks the gateway who sent a request, and whether the rule lets them pass. No caller, no service: everything that is not a
 * clear answer is `refused`.
 *
 * The target is what was sent: `originalUrl` of Express, or `url`. A web `Request` has a normalised one, in which `/a/../b`
 * is `/b`; a signature over the other spelling is refused.
 *
 * @throws {Error} if the question can have no answer: a rule that is not valid, a gateway without forward authentication,
 * one that does not list this service, or a body that is no longer there
 */
export async function whoIsCalling(request: NodeRequest | Request, question: Question): Promise<Answer> {
  const { url, origin, rule, maxBodyBytes = 1_048_576, timeoutMs = 5_000, signal } = question;
  checkQuestion(question);
  const received = 'rawHeaders' in request ? ofNode(request) : ofWeb(request);
  const { method, target, fields } = received;
  const repeated = SENT_ONCE.find((name) => fields.filter(([each]) => each === name).length > 1);
  if (repeated !== undefined) return refused(403, 'repeated_field', `Send ${repeated} once`);

  const [proto = '', host = ''] = origin.split('://');
  const asked = `${url.replace(/\/$/, '')}/authz/forward-auth`;
  const signals = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(`${asked}/${rule}`, {
      headers: [
        ...fields.filter(([name]) => SENT_ONCE.includes(name) || JOINED.includes(name) || IDENTITY_FIELD.test(name)),
        ['x-forwarded-method', method],
        ['x-forwarded-proto', proto],
        ['x-forwarded-host', host],
        ['x-forwarded-uri', target],
      ],
      redirect: 'manual',
      signal: AbortSignal.any(signals),
    });
    text = await answer.text();
  } catch (error) {
    return unavailable(error);
  }
  if (answer.status !== 200) return refusalOf(answer, text, asked, origin);

  const type = answer.headers.get('x-auth-caller-type');
  if (type === '-' && method === 'OPTIONS' && rule.split(';').includes('preflight=allow')) return { kind: 'preflight' };
  const assertion = answer.headers.get('x-auth-assertion') ?? '';
  const claims = claimsOf(assertion);
  const caller = callerOf(claims);
  if (caller === undefined || caller.callerType !== type) return unavailable(new Error(`${asked} named no caller`));
  if (claims?.aud !== origin || claims.method !== method || claims.uri !== target) {
    return unavailable(new Error(`${asked} answered for another request`));
  }
  if (caller.callerType !== 'api_key') return { kind: 'caller', caller, assertion };

  const body = question.body ?? (await received.read(maxBodyBytes));
  if (body === 'too_large') return refused(413, 'body_too_large', 'Request body is too large');
  if (body === 'broken_off') return unsigned('content_digest_mismatch', 'The body broke off');
  const refusal = checkBody(claims, body);
  return refusal ?? { kind: 'caller', caller, assertion, body };
}

/** @throws {Error} on what only the developer can correct */
function checkQuestion({ url, origin, rule, body }: Question): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Error(`url must begin with http or https: ${url}`);
  if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
    throw new Error(`origin must be an exact origin, such as https://app.example.com: ${origin}`);
  }
  if (!RULE.test(rule)) throw new Error(`rule must be such as caller=user;role=admin: ${rule}`);
  if (rule.split(';').includes('assertion=off'))
    throw new Error('rule must not have assertion=off, which is for proxies');
  if (body !== undefined && !(body instanceof Uint8Array)) throw new Error('body must be the bytes as they were sent');
}

type ReadBody = Uint8Array | 'too_large' | 'broken_off';

interface Received {
  method: string;
  /** Path and query */
  target: string;
  /** Names in lower case */
  fields: Array<[name: string, value: string]>;
  /** @throws {Error} if it was read before */
  read(maxBytes: number): Promise<ReadBody>;
}

function ofNode(request: NodeRequest): Received {
  const { method = '', url = '', originalUrl = url, rawHeaders } = request;
  const fields = rawHeaders.flatMap((name, i): Received['fields'] =>
    i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1] ?? '']] : [],
  );
  return {
    method,
    target: originalUrl,
    fields,
    read: async (maxBytes) => {
      const { httpVersionMajor, headers } = request;
      const length = headers['content-length'] ?? '0';
      if (httpVersionMajor === 1 && !('transfer-encoding' in headers) && length === '0') return new Uint8Array();
      if (request.readableDidRead) throw new Error(BODY_IS_READ);
      const body = await readAll(request.iterator({ destroyOnReturn: false }), maxBytes);
      if (body === 'too_large') request.resume(); // so that the client gets to read the answer
      return body;
    },
  };
}

function ofWeb(request: Request): Received {
  const [, target = ''] = /^[a-z]+:\/\/[^/?#]*(.*)$/s.exec(request.url) ?? [];
  return {
    method: request.method,
    target,
    fields: [...request.headers],
    read: async (maxBytes) => {
      if (request.bodyUsed) throw new Error(BODY_IS_READ);
      return request.body === null ? new Uint8Array() : readAll(chunksOf(request.body), maxBytes);
    },
  };
}

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

async function readAll(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReadBody> {
  const read: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > maxBytes) return 'too_large';
      read.push(chunk);
    }
  } catch {
    return 'broken_off';
  }
  return Buffer.concat(read);
}

/** The claims of an assertion that are used here. It came from the gateway itself, so its signature is not verified. */
interface Claims {
  aud?: unknown;
  sub?: unknown;
  caller_type?: unknown;
  role?: unknown;
  service_name?: unknown;
  scopes?: unknown;
  method?: unknown;
  uri?: unknown;
  body?: unknown;
  content_digest?: unknown;
}

function claimsOf(assertion: string): Claims | undefined {
  return parsed(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString());
}

/** @returns undefined unless it is an object */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function callerOf({ caller_type: type, sub: id, role, service_name: serviceName, scopes }: Claims = {}) {
  if (typeof id !== 'string' || !Array.isArray(scopes)) return undefined;
  switch (type) {
    case 'user':
      return typeof role === 'string' ? ({ callerType: type, id, role, scopes } as Caller) : undefined;
    case 'api_key':
    case 'cron':
      return typeof serviceName === 'string' ? ({ callerType: type, id, serviceName, scopes } as Caller) : undefined;
    default:
      return undefined;
  }
}

/** RFC 9530: every sha-256 and sha-512 of the field that the signature covers. The gateway has checked its form. */
function checkBody({ body: says, content_digest: digest }: Claims, body: Uint8Array): Refused | undefined {
  if (says === 'none') {
    if (body.length === 0) return undefined;
    return unsigned(
      'insufficient_coverage',
      'The signature must cover "content-type" and "content-digest" of the body',
    );
  }
  const members = Array.from(String(digest).matchAll(/(?:^|, )sha-(256|512)=:([\w+/=]*):/g));
  const hash = (bits = '') => createHash(`sha${bits}`).update(body).digest('base64');
  if (says === 'digest' && members.length > 0 && members.every(([, bits, value]) => hash(bits) === value))
    return undefined;
  return unsigned('content_digest_mismatch', 'Content-Digest does not match the body');
}

function unsigned(reason: string, detail: string): Refused {
  return refused(401, reason, detail, { 'www-authenticate': `Signature realm="auth-gateway", error="${reason}"` });
}

const PASSED_ON = ['www-authenticate', 'accept-signature', 'retry-after'];

/** A refusal of the gateway is passed on. @throws {Error} if this service cannot be answered at all */
function refusalOf({ status, headers }: Response, text: string, asked: string, origin: string): Refused {
  const body = parsed(text) ?? {};
  const { reason, detail } = body;
  if (reason === 'rule_invalid') throw new Error(`The gateway does not understand the rule: ${detail}`);
  if (reason === 'proxy_not_listed') {
    throw new Error(
      `The gateway answers listed peers alone: add the address of this service, which its log has as peer_ip, to FORWARD_AUTH_PROXIES`,
    );
  }
  if (reason === 'origin_not_listed') throw new Error(`FORWARD_AUTH_ORIGINS of the gateway does not have ${origin}`);
  if (status === 404) {
    throw new Error(
      `There is no ${asked}: set FORWARD_AUTH_PROXIES and FORWARD_AUTH_ORIGINS of the gateway, or correct url`,
    );
  }
  const isRefusal = status === 401 || status === 403 || status === 429 || status === 503;
  if (!isRefusal || typeof reason !== 'string' || typeof detail !== 'string') {
    return unavailable(new Error(`${asked} answered with status ${status}`));
  }
  const passed = PASSED_ON.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { ...refused(status, reason, detail, Object.fromEntries(passed)), json: JSON.stringify(body) };
}

function unavailable(cause: unknown): Refused {
  const detail = 'Service temporarily unavailable, try again later';
  return { ...refused(503, 'unavailable', detail, { 'retry-after': '5' }), cause };
}

function refused(
  status: Refused['status'],
  reason: string,
  detail: string,
  headers: Record<string, string> = {},
): Refused {
  const json = JSON.stringify({ detail, reason });
  return { kind: 'refused', status, reason, detail, headers: { 'content-type': 'application/json', ...headers }, json };
}
