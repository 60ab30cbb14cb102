/** Outside production: an explorer that loads nothing from elsewhere. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

const POLICY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:; frame-ancestors 'none'";

/** The page is made once, when it is first asked for, and kept compressed: it has 9 MB. */
export function explorer(): RequestHandler {
  let page: ReturnType<typeof renderPage> | undefined;
  return async (req, res, next) => {
    if (!req.get('accept')?.includes('text/html')) return next(); // queries come by POST alone
    page ??= renderPage().catch((error: unknown) => {
      page = undefined; // the next one tries again
      throw error;
    });
    const { compressed, etag } = await page;
    res.set({
      'Cache-Control': 'private, max-age=3600',
      'Content-Security-Policy': POLICY,
      ETag: etag,
    });
    res.vary('Accept').vary('Accept-Encoding'); // beside what CORS has put there
    res.type('html');
    if (req.fresh) return void res.status(304).end();
    if (req.acceptsEncodings('gzip')) return void res.set('Content-Encoding', 'gzip').send(compressed);
    const plain = createGunzip();
    res.on('close', () => plain.destroy());
    plain.pipe(res);
    plain.end(compressed);
  };
}

async function renderPage(): Promise<{ compressed: Buffer; etag: string }> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql'); // which production never loads
  const compressed = await promisify(gzip)(renderGraphiQL({ title: 'auth-gateway', endpoint: '/graphql' }));
  return { compressed, etag: `W/"${createHash('sha256').update(compressed).digest('base64url')}"` };
}
