/** Static responses: built on first use, cached compressed, sent with an ETag. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

export interface Page {
  /** As `res.type` takes it */
  type: string;
  /** Added to the default policy, under which nothing is loaded, sent or framed */
  policy?: Record<string, string[]>;
  /** @returns the content, compressed with gzip */
  compressed(): Promise<Buffer>;
}

const POLICY = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

export function compressText(text: string): Promise<Buffer> {
  return promisify(gzip)(text);
}

/** Browsers store the page and revalidate it each time. */
export function sendPage({ type, policy, compressed }: Page): RequestHandler {
  let cached: Promise<{ content: Buffer; etag: string }> | undefined;
  const make = async () => {
    const content = await compressed();
    return { content, etag: `W/"${createHash('sha256').update(content).digest('base64url')}"` };
  };
  const csp = policyText({ ...POLICY, ...policy });
  return async (req, res) => {
    cached ??= make().catch((error: unknown) => {
      cached = undefined; // the next one tries again
      throw error;
    });
    const { content, etag } = await cached;
    res.set({ 'Cache-Control': 'no-cache', 'Content-Security-Policy': csp, ETag: etag });
    res.vary('Accept-Encoding'); // in addition to the fields that CORS has set
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
