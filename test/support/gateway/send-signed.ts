/** Sends a signed request with exactly its header lines, duplicates and all. */
import { request } from 'node:http';
import { type Sign, type SignedRequest, signerOf } from '../independent/signer.js';
import type { Instance, TestGateway } from './gateway.js';

export interface SignedAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** `extensions.reason` of a refusal */
  reason: unknown;
  /** `extensions.code` of an error */
  code: unknown;
  /** `extensions.signatureBase` of a refusal */
  signatureBase: unknown;
  callerType: unknown;
  text: string;
}

export function sendSigned(
  on: Pick<Instance, 'url'>,
  { method, target, headers, body }: SignedRequest,
): Promise<SignedAnswer> {
  const { hostname, port } = new URL(on.url);
  const lines = ['Host', `${hostname}:${port}`, 'Content-Length', String(body.length), ...headers.flat()];
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: target, method, headers: lines, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const json = /json/.test(res.headers['content-type'] ?? '') ? JSON.parse(text) : {};
        const { reason, code, signatureBase } = json.errors?.[0]?.extensions ?? {};
        const callerType = json.data?.caller?.callerType;
        resolve({ status: res.statusCode ?? 0, headers: res.headers, reason, code, signatureBase, callerType, text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Signs with a key at the time of the gateway's clock. */
export function signerAt({ clock, config }: TestGateway, keyId: string, secret: string): Sign {
  return (changes = {}) => {
    const nowSeconds = Math.floor(clock.now().getTime() / 1000);
    return signerOf({ keyId, secret, authority: config.publicAuthority, nowSeconds })(changes);
  };
}
