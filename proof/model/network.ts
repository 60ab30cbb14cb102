/**
 * Between the pages of a browser and the gateway. What it takes for granted of browsers, on the harsh side of what the
 * standards say and Chromium does:
 * - The jar is read when a request goes out, a moment after `fetch` (Fetch, "HTTP-network-or-cache fetch"), and written
 *   when the head of the answer comes, whatever becomes of its body (RFC 6265 section 5.3; Chromium's network service
 *   stores cookies before the page gets the answer).
 * - What a page has sent goes on when the page is gone, or has given it up, or it does not, and so does what its answer
 *   sets: with `keepalive` it always does when the page is gone; else the schedule decides.
 * - A request whose answer did not come may be sent again by the browser or by a proxy, to another instance too, with
 *   the same cookie and the same fields. One answer goes back.
 * - Messages overtake one another, as long as they are on their way. A network that is *fair* loses what comes too late
 *   for any key to repair, of what has been on its way for longer than the client waits for it (`CUT_OFF_MS`) and of what is
 *   sent again: a message of a rotation whose successor has gone out already (Interface 12: it must not be used), and an
 *   answer after that to a later login or logout. Everything else comes, in any order.
 */
import { CUT_OFF_MS } from '../../client/src/refresh.js';
import { claimsOf } from '../../test/support/gateway/gateway.js';
import type { Schedule } from './acts.js';
import { type Fault, NO_FAULT } from './faults.js';
import type { Answered, Sent, Server } from './server.js';
import type { Story } from './story.js';
import type { VirtualTime } from './virtual-time.js';

export interface Jar {
  cookie: string | undefined;
}

export interface Network {
  /** What a page sends. The promise of a page that is gone is never settled. */
  fetch(page: { name: string; isGone(): boolean }, request: Request): Promise<Response>;
  setOnline(isOnline: boolean): void;
  /** What is on its way is lost, as when a laptop falls asleep. */
  dropAll(): void;
  /** The next answer is so long on its way. */
  delayNext(backMs: number): void;
  /** While it is well, nothing that is sent is lost or late. */
  setWell(isWell: boolean): void;
}

/** How a request went out. */
interface Departure {
  /** Among all */
  order: number;
  /** Of the cookie that it had */
  record: unknown;
  atMs: number;
}

export function createNetwork(
  time: VirtualTime,
  server: Pick<Server, 'answer'>,
  jar: Jar,
  { faults, isFair }: Pick<Schedule, 'faults' | 'isFair'>,
  story: Story,
): Network {
  let sent = 0;
  let isOnline = true;
  let isWell = true;
  /** Of the schedule */
  let drawn = 0;
  let next: Fault | undefined;
  /** Changes when all that is on its way is lost */
  let era = 0;
  let out = 0;
  /** Records that have been presented, and of each its successor */
  const presented = new Set<unknown>();
  const successors = new Map<unknown, unknown>();
  /** The order of the last login or logout whose answer has come */
  let lastChange = 0;
  const isOver = (record: unknown): boolean => successors.has(record) && presented.has(successors.get(record));

  const networkError = (): TypeError => new TypeError('Failed to fetch');

  return {
    setOnline: (online) => {
      isOnline = online;
      if (!online) era += 1;
    },
    dropAll: () => {
      era += 1;
    },
    delayNext: (backMs) => {
      next = { ...NO_FAULT, backMs };
    },
    setWell: (well) => {
      isWell = well;
    },
    fetch: async (page, request) => {
      const fault = next ?? (isWell ? undefined : faults[drawn]) ?? NO_FAULT;
      if (!isWell && next === undefined) drawn += 1;
      next = undefined;
      sent += 1;
      const name = `#${sent}`;
      const { pathname } = new URL(request.url);
      const body = request.body === null ? undefined : await request.text();
      const headers = Object.fromEntries([...request.headers, ['origin', new URL(request.url).origin]]);
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      const begun = era;
      const isOnItsWay = (): boolean => era === begun;
      /** Nobody waits for the answer */
      const isLeft = (): boolean => page.isGone() || request.signal.aborted;
      const goesOn = (): boolean => !isLeft() || fault.isLate || (request.keepalive && !request.signal.aborted);
      let isAnswered = false;
      const settle = (act: () => void): void => {
        isAnswered = true;
        if (!isLeft()) act();
      };
      request.signal.addEventListener('abort', () => {
        if (page.isGone() || isAnswered) return;
        story.add(`${page.name} gives ${name} up`);
        reject(request.signal.reason);
      });
      const fail = (why: string): void => {
        story.add(`    ${name} ${why}`);
        if (fault.toldMs !== undefined) time.after(fault.toldMs, () => settle(() => reject(networkError())));
      };

      let departure: Departure = { order: 0, record: undefined, atMs: 0 };
      const isTooLate = (setsCookie: string | undefined): boolean =>
        setsCookie !== undefined && (departure.order < lastChange || isOver(recordOf(setsCookie)));
      const isSlow = (): boolean => isFair && time.now() - departure.atMs > CUT_OFF_MS;
      const deliver = async (message: Sent): Promise<Answered> => {
        story.add(`    ${name} arrives at instance ${fault.instance}`);
        const answered = await server.answer(message, fault.instance);
        if (answered.setsCookie && pathname === '/auth/refresh')
          successors.set(departure.record, recordOf(answered.setsCookie));
        return answered;
      };
      const comeBack = ({ status, headers: fields, body: text, setsCookie }: Answered): void => {
        if (!isOnItsWay() || fault.kind === 'answer lost') return fail('has its answer lost');
        time.after(fault.backMs, () => {
          if (!isOnItsWay() || (isSlow() && isTooLate(setsCookie))) return fail('has its answer lost');
          if (!goesOn()) return story.add(`    ${name} has its answer thrown away`);
          if (setsCookie !== undefined) {
            jar.cookie = setsCookie === '' ? undefined : setsCookie;
            if (pathname !== '/auth/refresh') lastChange = departure.order;
          }
          const late = isLeft() ? ', late' : '';
          const inJar = setsCookie === undefined ? '' : `, the jar has ${story.cookie(jar.cookie)}`;
          story.add(
            `    ${name} is answered ${status}${late}${inJar}${fault.kind === 'cut' ? ', its body is cut' : ''}`,
          );
          const visible = new Headers([...fields].filter(([field]) => field !== 'set-cookie'));
          settle(() => resolve(answerOf(request, status, visible, fault.kind === 'cut' ? undefined : text)));
        });
      };

      const goOut = (): void => {
        if (!goesOn()) return story.add(`    ${name} is not sent`);
        if (!isOnline) return settle(() => reject(networkError()));
        out += 1;
        const cookie = pathname.startsWith('/auth') ? jar.cookie : undefined;
        departure = { order: out, record: recordOf(cookie), atMs: time.now() };
        presented.add(departure.record);
        const message: Sent = { by: 'owner', method: request.method, path: pathname, headers, cookie, body };
        story.add(`    ${name} goes out with ${story.cookie(cookie)}`);
        const { kind, thereMs, again } = fault;
        if (kind === 'request lost') return fail('is lost');
        if (kind === 'unavailable' || kind === 'portal' || kind === 'limited') {
          time.after(thereMs, () => settle(() => resolve(answerOnTheWay(request, kind))));
          return;
        }
        time.after(thereMs, async () => {
          if (!isOnItsWay() || (isSlow() && isOver(departure.record))) return fail('is lost');
          if (!goesOn()) return story.add(`    ${name} does not arrive`);
          const first = await deliver(message);
          if (again === undefined || again.answer === 'first') comeBack(first);
          if (again === undefined) return;
          time.after(again.ms, async () => {
            if (!isOnItsWay() || (isFair && isOver(departure.record))) return;
            const second = await deliver(message);
            if (again.answer === 'second') comeBack(second);
          });
        });
      };
      const field = story.field(request.headers.get('refresh-retry'));
      story.add(`${page.name} sends ${name}: ${pathname}${pathname === '/auth/refresh' ? `, ${field}` : ''}`);
      time.after(fault.startMs, goOut);
      return promise;
    },
  };
}

function recordOf(cookie: string | undefined): unknown {
  return cookie ? claimsOf(cookie)['jti'] : undefined;
}

/** @param text undefined: its body breaks off */
function answerOf(request: Request, status: number, headers: Headers, text: string | undefined): Response {
  const broken = (): ReadableStream =>
    new ReadableStream({ start: (body) => body.error(new TypeError('network error')) });
  const response = new Response(text ?? broken(), { status, headers });
  Object.defineProperty(response, 'url', { value: request.url });
  return response;
}

function answerOnTheWay(request: Request, kind: 'unavailable' | 'portal' | 'limited'): Response {
  if (kind === 'limited') {
    const fields = { 'content-type': 'application/json', 'retry-after': '4' };
    return answerOf(request, 429, new Headers(fields), '{"detail":"Too many requests, try again later"}');
  }
  const page = '<title>Please wait</title>';
  const [status, headers] = kind === 'portal' ? [200, {}] : [503, { 'retry-after': '2' }];
  return answerOf(request, status, new Headers({ 'content-type': 'text/html', ...headers }), page);
}
