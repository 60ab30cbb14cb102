/** The client of this version, in production too: a module for pages, and the package for npm. (Interface 13) */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Express, Response } from 'express';
import { addReadOnly } from '../errors.js';
import { forAnybody } from '../for-anybody.js';
import { hashOf, madeOnce, readBuilt } from '../static-page.js';

const MAX_AGE_SECONDS = 3_600;

interface Representation {
  content: Buffer;
  /** Strong: what is compressed has another one (RFC 9110 section 8.8.3.3) */
  etag: string;
}

const representation = (content: Buffer): Representation => ({ content, etag: `"${hashOf(content)}"` });

/** `npm run build` has made both files. */
export function addClientPackage(app: Express): void {
  const script = madeOnce(async () => {
    const compressed = await readBuilt('client-package', 'client.js.gz');
    return { plain: representation(await promisify(gunzip)(compressed)), compressed: representation(compressed) };
  });
  const archive = madeOnce(async () => representation(await readBuilt('client-package', 'client.tgz')));

  addReadOnly(app, '/client.js', async (req, res) => {
    const { plain, compressed } = await script();
    const isCompressed = req.acceptsEncodings('gzip') !== false;
    res.vary('Accept-Encoding');
    if (isCompressed) res.set('Content-Encoding', 'gzip');
    send(res, 'text/javascript', isCompressed ? compressed : plain);
  });
  addReadOnly(app, '/client.tgz', async (_req, res) => send(res, 'application/gzip', await archive()));
}

function send(res: Response, type: string, { content, etag }: Representation): void {
  res.set({ ...forAnybody(MAX_AGE_SECONDS), ETag: etag });
  res.type(type).send(content); // 304 if the client has it
}
