/** Interface 9, `doctor`: one request to PUBLIC_URL, as a client of the gateway would make it. */
import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { TLSSocket } from 'node:tls';
import { type LoginPolicy, parseLoginPolicy } from '../rate-limits/login-policy.js';

export interface PublicAnswer {
  status: number;
  /** Of a redirect, which is not followed */
  location: string | undefined;
  /** The login limit of the gateway, if one answers */
  loginPolicy: LoginPolicy | undefined;
  /** Whole seconds (RFC 9110 section 6.6.1) */
  date: Date | undefined;
  /** Cut after MAX_BYTES */
  text: string;
  /** The body as JSON; undefined if it is not JSON */
  json: unknown;
  /** When the certificate ends; undefined without TLS */
  validTo: Date | undefined;
}

const WITHIN_MS = 4_000;
const MAX_BYTES = 262_144;

/** @throws the error of the system or of TLS, which has a `code`, or of the signal */
export async function readPublic(url: string, signal: AbortSignal): Promise<PublicAnswer> {
  const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]), agent: false as const };
  const isTls = url.startsWith('https:');
  // A resumed TLS session would show no certificate.
  const agent = new Agent({ maxCachedSessions: 0 });
  const asked = isTls ? requestHttps(url, { ...options, agent }) : requestHttp(url, options);
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const { socket, statusCode = 0, headers } = answer;
  const validTo = socket instanceof TLSSocket ? new Date(socket.getPeerCertificate().valid_to) : undefined;
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_BYTES) break;
  }
  const loginPolicy = parseLoginPolicy(headers['ratelimit-policy']);
  const { date, location } = headers;
  return { status: statusCode, location, loginPolicy, date: instantOf(date), text, json: parse(text), validTo };
}

function instantOf(text = ''): Date | undefined {
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
