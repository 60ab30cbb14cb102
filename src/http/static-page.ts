/** Static responses: built on first use, cached compressed, sent with an ETag. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { packagePath } from '../platform/package-path.js';
import { escapeHtml } from '../platform/text.js';

export interface Page {
  /** As `res.type` takes it */
  type: string;
  /** Added to the default policy, under which nothing is loaded, sent or framed; a text replaces it */
  policy?: Record<string, string[]> | typeof OWN_FILES_POLICY;
  /** `no-cache` by default: browsers store the page and revalidate it each time */
  cache?: 'no-cache' | 'no-store' | typeof IMMUTABLE;
  /** @returns the content, compressed with gzip */
  compressed(): Promise<Buffer>;
}

const POLICY = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** For a file that has a hash of its content in its name. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** For a page of several files: it loads and asks its own origin alone, and makes no HTML of text. */
export const OWN_FILES_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

export function compressText(text: string): Promise<Buffer> {
  return promisify(gzip)(text);
}

/** @returns a file that `npm run build` has made */
export function readBuilt(
  folder: 'account' | 'client-package' | 'console' | 'gate' | 'explorer' | 'set-password',
  file: string,
): Promise<Buffer> {
  return readFile(packagePath('dist', folder, file));
}

/** @returns a page that `npm run build` has made */
export async function readHtml(folder: Parameters<typeof readBuilt>[0], file = 'page.html.gz'): Promise<string> {
  return (await promisify(gunzip)(await readBuilt(folder, file))).toString();
}

/** Gives the script of a page what it must know of this gateway. */
export function compressWith(facts: Record<string, string | boolean>, page: string): Promise<Buffer> {
  const attributes = Object.entries(facts).map(([name, value]) => ` data-${name}="${escapeHtml(String(value))}"`);
  return compressText(page.replace('<div id="root"', (tag) => tag + attributes.join('')));
}

/** @returns the hash of a content, as an `ETag` has it, without quotes */
export function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}

/** Makes it once, on first use. After a failure the next use tries again. */
export function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

export function sendPage({ type, policy, cache = 'no-cache', compressed }: Page): RequestHandler {
  const cached = madeOnce(async () => {
    const content = await compressed();
    return { content, etag: `W/"${hashOf(content)}"` };
  });
  const csp = typeof policy === 'string' ? policy : policyText({ ...POLICY, ...policy });
  return async (req, res) => {
    const { content, etag } = await cached();
    res.set({ 'Cache-Control': cache, 'Content-Security-Policy': csp, ETag: etag });
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
