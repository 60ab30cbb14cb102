/** Traces: what was seen of the program's answers and tables, session by session, in the numbers that `rotation.pml` reads. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { claimsOf, type Instance, type TestGateway } from '../../test/support/gateway/gateway.js';
import { THEFT } from '../../test/support/independent/retries.js';

/** As the model numbers them */
const [SENT, ANSWERED, TABLE] = [1, 2, 3];
const KINDS: Record<string, number> = { '/auth/refresh': 1, '/auth/logout': 2, '/auth/confirm': 3 };
const [GRANTED, RETRIED, REFUSED, DONE] = [1, 2, 3, 4];
const STATES = ['none', 'live', 'rotated', 'retryless', 'logout', 'token_theft'];
/** Of the model's arrays: a longer session is followed that far */
export const RECORDS = 30;
const ANY = -1;

export interface Call {
  path: string;
  cookie: string | undefined;
  /** The field Refresh-Retry */
  field: string | undefined;
}

export interface Reply {
  status: number;
  isRetried: boolean;
  cookie: string | undefined;
  detail: unknown;
}

/** What happens in one session. */
export class Trace {
  readonly numbers: number[] = [];
  readonly #records: unknown[];
  readonly #keys = new Map<string, number>();
  requests = 0;
  /** Something came that the model does not have, such as the end of a token by time: the rest is not followed. */
  isCut = false;

  constructor(
    readonly family: unknown,
    first: unknown,
  ) {
    this.#records = [first];
  }

  sent(slot: number, { path, cookie, field = '' }: Call): void {
    this.requests += 1;
    const record = path === '/auth/confirm' ? 0 : this.#records.indexOf(claimsOf(cookie ?? '')['jti']);
    if (record < 0) this.isCut = true;
    const key = (name: string): number => this.#keyOf(new RegExp(`${name}=:([^:]*):`).exec(field)?.[1]);
    this.#add(SENT, slot, KINDS[path] ?? 0, record, key('this'), key('previous'));
  }

  answered(slot: number, { path }: Call, { status, isRetried, cookie, detail }: Reply): void {
    if (status === 401 && detail === THEFT) return this.#add(ANSWERED, slot, REFUSED, ANY);
    if (status !== 200) {
      this.isCut = true;
    } else if (path !== '/auth/refresh') {
      this.#add(ANSWERED, slot, DONE, ANY);
    } else {
      const { jti } = claimsOf(cookie ?? '');
      if (!this.#records.includes(jti)) this.#records.push(jti);
      this.#add(ANSWERED, slot, isRetried ? RETRIED : GRANTED, this.#records.indexOf(jti));
    }
  }

  /** Only while no request is under way */
  async table(rows: TestGateway['rows']): Promise<void> {
    const table = await rows<{ jti: string; state: string }>(
      `select jti, case when not revoked then 'live' when retry_ended then 'retryless' else revoked_reason end as state
       from refresh_tokens where family_id = $1`,
      [this.family],
    );
    const states = this.#records.map((jti) => STATES.indexOf(table.find((row) => row.jti === jti)?.state ?? ''));
    if (states.includes(-1) || states.length !== table.length || states.length >= RECORDS) this.isCut = true;
    this.#add(TABLE, states.length, ...states);
  }

  #add(...numbers: number[]): void {
    if (!this.isCut) this.numbers.push(...numbers);
  }

  #keyOf(key: string | undefined): number {
    if (key === undefined) return 0;
    const number = this.#keys.get(key) ?? this.#keys.size + 1;
    this.#keys.set(key, number);
    return number;
  }
}

/** @returns the same with one lie: another state of one record in one table. @param at which of the tables, counted round */
export function withLie(numbers: readonly number[], at: number): number[] {
  const LENGTHS = [0, 6, 4];
  const tables: number[] = [];
  for (let i = 0; i < numbers.length; i += LENGTHS[numbers[i] ?? 0] ?? 2 + (numbers[i + 1] ?? 0))
    if (numbers[i] === TABLE) tables.push(i);
  const table = tables[at % tables.length] ?? 0;
  const record = table + 2 + (at % (numbers[table + 1] ?? 1));
  return numbers.with(record, ((numbers[record] ?? 0) % 5) + 1);
}

export interface Recorder extends AsyncDisposable {
  /** The same gateways, but each request and answer is seen; one at a time */
  instances: Instance[];
  traces(): Trace[];
}

export async function startRecorder({ instances, rows }: Pick<TestGateway, 'instances' | 'rows'>): Promise<Recorder> {
  await using begun = new AsyncDisposableStack();
  const traces = new Map<unknown, Trace>();
  const recorded: Instance[] = [];

  const traceOf = ({ path, cookie }: Call, { authorization = '' }: IncomingMessage['headers']): Trace | undefined => {
    const token = path === '/auth/confirm' ? authorization.replace('Bearer ', '') : cookie;
    return path in KINDS && token ? traces.get(claimsOf(token)['sid']) : undefined;
  };

  for (const instance of instances) {
    const proxy = createServer(async (req, res) => {
      const body = Buffer.concat(await req.toArray());
      const { method, url: path = '', headers } = req;
      const [, cookie] = /refresh_token=([^;]*)/.exec(headers.cookie ?? '') ?? [];
      const call: Call = { path, cookie, field: headers['refresh-retry'] as string | undefined };
      const trace = traceOf(call, headers);
      const { status, answer, reply } = await forward(instance.url, { method, path, headers }, body);
      // A confirmation that is refused for its password is none of the model's.
      if (trace !== undefined && (path !== '/auth/confirm' || status === 200)) {
        trace.sent(0, call);
        trace.answered(0, call, reply);
        await trace.table(rows);
      } else if (reply.cookie) {
        const { sid, jti } = claimsOf(reply.cookie);
        traces.set(sid, new Trace(sid, jti));
      }
      res.writeHead(status, answer.rawHeaders).end(reply.body);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    begun.defer(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    recorded.push({ ...instance, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  }
  const ending = begun.move();
  return {
    instances: recorded,
    traces: () => [...traces.values()],
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

async function forward(to: string, options: object, sent: Buffer) {
  const { hostname, port } = new URL(to);
  const forwarded = request({ ...options, hostname, port }).end(sent);
  const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await answer.toArray());
  const cookies = answer.headers['set-cookie'] ?? [];
  const cookie = cookies.map((field) => /^refresh_token=([^;]+)/.exec(field)?.[1]).find(Boolean);
  const status = answer.statusCode ?? 0;
  const isJson = /json/.test(answer.headers['content-type'] ?? '');
  const detail = isJson ? JSON.parse(body.toString('utf8')).detail : undefined;
  const reply = { status, isRetried: answer.headers['refresh-retry'] !== undefined, cookie, detail, body };
  return { status, answer, reply };
}
