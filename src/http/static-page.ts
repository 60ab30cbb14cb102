/** What stays the same while the gateway runs: made when it is first asked for, kept compressed, sent with an ETag. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

export interface Page {
  /** As `res.type` takes it */
  type: string;
  /** Beside what every page has: nothing is loaded, sent or framed unless this says so */
  policy?: Record<string, string[]>;
  /** @returns its content by gzip */
  compressed(): Promise<Buffer>;
}

const POLICY = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** The content of what is made here. */
export function compressText(text: string): Promise<Buffer> {
  return promisify(gzip)(text);
}

/** Browsers keep it, and ask each time whether it is still the same. */
export function sendPage({ type, policy, compressed }: Page): RequestHandler {
  let kept: Promise<{ content: Buffer; etag: string }> | undefined;
  const make = async () => {
    const content = await compressed();
    return { content, etag: `W/"${createHash('sha256').update(content).digest('base64url')}"` };
  };
  const csp = policyText({ ...POLICY, ...policy });
  return async (req, res) => {
    kept ??= make().catch((error: unknown) => {
      kept = undefined; // the next one tries again
      throw error;
    });
    const { content, etag } = await kept;
    res.set({ 'Cache-Control': 'no-cache', 'Content-Security-Policy': csp, ETag: etag });
    res.vary('Accept-Encoding'); // beside what CORS has put there
    res.type(type);
    if (req.fresh) return void res.status(304).end();
    if (!req.acceptsEncodings('gzip')) return void res.send(await promisify(gunzip)(content));
    res.set('Content-Encoding', 'gzip').send(content);
  };
}

function policyText(directives: Record<string, string[]>): string {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join(';');
}
