/** Sends one HTTP request to a receiver, which may be slow, hostile or gone. (Interface 17) */
import { Agent, type Dispatcher, errors } from 'undici';
import { GATEWAY_VERSION } from '../../platform/versions.js';
import type { Delivery } from '../consumer.js';
import { AddressRefused, checkedLookup, isForbiddenAddress } from './target.js';

/** For everything, from the name to the end of the answer's head: milliseconds. */
const TIMEOUT_MS = 15_000;
/** For the body, once the status has decided: milliseconds. It holds the next event. */
const BODY_MS = 1_000;
/** Of the body of an answer: bytes. */
export const READ_BYTES = 4_096;
/** Connections that are idle are closed, so that a changed address is noticed: milliseconds. */
const IDLE_MS = 10_000;

export type SendOutcome =
  | 'delivered'
  | 'http_error'
  | 'redirect'
  | 'gone'
  | 'timeout'
  | 'tls'
  | 'connection_failed'
  | 'address_refused';

export interface Sender {
  /**
   * @param now for a Retry-After that is a date
   * @throws only if the signal ends it
   */
  post(request: Post, now: Date, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface Answer {
  delivery: Delivery & { outcome: SendOutcome };
  /** The first 4 KiB of the body */
  body: Buffer;
}

/**
 * It uses no proxy of the environment, follows no redirect and decompresses nothing. HTTP/2 would add ways to be held up.
 * Certificates are verified whatever NODE_TLS_REJECT_UNAUTHORIZED says.
 * @param timeoutMs for the head of an answer: milliseconds
 * @param bodyMs for its body: milliseconds
 */
export function createSender(lookup = checkedLookup(), timeoutMs = TIMEOUT_MS, bodyMs = BODY_MS): Sender {
  const agent = new Agent({
    allowH2: false,
    connect: { lookup, timeout: timeoutMs, rejectUnauthorized: true },
    headersTimeout: timeoutMs,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxHeaderSize: 16_384,
  });
  return {
    post: async ({ url, headers, body }, now, signal) => {
      signal.throwIfAborted();
      const { origin, hostname, pathname, search } = new URL(url);
      if (isForbiddenAddress(hostname)) return failed('address_refused');
      const ending = new AbortController(); // AbortSignal.any would be remembered by a signal that lives long
      const end = () => ending.abort(signal.reason);
      signal.addEventListener('abort', end);
      const timer = setTimeout(() => ending.abort(new errors.HeadersTimeoutError()), timeoutMs);
      try {
        const answer = await agent.request({
          origin,
          path: pathname + search,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': `auth-gateway/${GATEWAY_VERSION}`, ...headers },
          body,
          signal: ending.signal,
        });
        return { delivery: deliveryOf(answer, now), body: await readStart(answer.body, bodyMs) };
      } catch (error) {
        if (signal.aborted) throw error;
        return failed(outcomeOf(error));
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
      }
    },
    close: () => agent.destroy(),
  };
}

function failed(outcome: SendOutcome): Answer {
  return { delivery: { kind: 'failed', outcome }, body: Buffer.alloc(0) };
}

/** The status has decided by now, so a body that does not end changes nothing. */
async function readStart(body: Dispatcher.ResponseData['body'], bodyMs: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), bodyMs); // which ends the connection
  try {
    for await (const part of body) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= READ_BYTES) break; // which ends the connection
    }
  } catch {
    // cut off, or too slow
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(parts).subarray(0, READ_BYTES);
}

const GONE = 410;

function deliveryOf({ statusCode: status, headers }: Dispatcher.ResponseData, now: Date): Answer['delivery'] {
  if (status >= 200 && status < 300) return { kind: 'delivered', outcome: 'delivered', status };
  if (status >= 300 && status < 400) return { kind: 'failed', outcome: 'redirect', status };
  if (status === GONE) return { kind: 'failed', outcome: 'gone', status, isGone: true };
  return { kind: 'failed', outcome: 'http_error', status, retryAfterSeconds: secondsOf(headers['retry-after'], now) };
}

/** RFC 9110 section 10.2.3: seconds or a date. */
function secondsOf(field: string | string[] | undefined, now: Date): number | undefined {
  if (typeof field !== 'string') return undefined;
  if (/^\d{1,10}$/.test(field)) return Number(field);
  const at = Date.parse(field);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}

function outcomeOf(error: unknown): SendOutcome {
  if (error instanceof AddressRefused) return 'address_refused';
  const { code = '' } = error as { code?: string };
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  if (/^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/.test(code)) return 'tls';
  return 'connection_failed';
}
