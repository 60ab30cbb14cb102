/** A page with many scripts. `npm run build` has bundled, named and compressed its files. (Interface 19 and 21) */
import { readdir } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Express, Request, RequestHandler, Response } from 'express';
import { packagePath } from '../platform/package-path.js';
import { methodNotAllowed, notFound } from './errors.js';
import { compressWith, IMMUTABLE, madeOnce, OWN_FILES_POLICY, readBuilt, readHtml, sendPage } from './static-page.js';

const PAGE_FILE = 'page.html.gz';

interface AppPage {
  name: 'account' | 'console' | 'gate';
  /** Paths that get the page, unless `isPage` refuses them */
  paths: RegExp;
  isPage(path: string): boolean;
  /** Whether the query of an address leads anywhere; without it, each does. If not, the page says so, with 400 */
  leads?(req: Request, res: Response): boolean;
  /** What the script sees of the configuration */
  facts: Parameters<typeof compressWith>[0];
}

/**
 * The page, and the files that it loads below `/NAME/assets`. `/NAME` and `/NAME/assets` are routes of the log and the metrics
 * as well, whatever follows them in a path.
 */
export function addAppPage(app: Express, { name, paths, isPage, leads, facts }: AppPage): void {
  const assetsPath = `/${name}/assets`;
  // All at once: a gateway that runs serves one build, even if another one replaces its files.
  const built = madeOnce(async () => {
    const page = await readHtml(name, PAGE_FILE);
    const names = await readdir(packagePath('dist', name)); // after the page, which is written last
    const assets = names
      .filter((file) => file.endsWith('.gz') && file !== PAGE_FILE)
      .map((file) => readAsset(name, file));
    return { page, assets: new Map(await Promise.all(assets)) };
  });
  const sendWith = (more: AppPage['facts']): RequestHandler =>
    sendPage({
      type: 'html',
      policy: OWN_FILES_POLICY,
      cache: 'no-store',
      compressed: async () => compressWith({ ...facts, ...more }, (await built()).page),
    });
  const send = sendWith({});
  const sendAstray = sendWith({ astray: true });
  const readOnly = methodNotAllowed('GET', 'HEAD');

  app.route(new RegExp(`^${assetsPath}(?:/|$)`)).all(async (req, res, next) => {
    res.locals.route = assetsPath;
    const { assets } = await built();
    const sendAsset = assets.get(req.path.slice(assetsPath.length + 1));
    if (sendAsset === undefined) return notFound(req, res, next); // never the page: a tab of an older build must notice
    return isRead(req.method) ? sendAsset(req, res, next) : readOnly(req, res, next);
  });
  app.route(paths).all((req, res, next) => {
    res.locals.route = `/${name}`;
    if (!isPage(req.path)) return notFound(req, res, next);
    if (!isRead(req.method)) return readOnly(req, res, next);
    return leads?.(req, res) === false ? sendAstray(req, res.status(400), next) : send(req, res, next);
  });
}

async function readAsset(folder: AppPage['name'], file: string): Promise<[name: string, send: RequestHandler]> {
  const content = await readBuilt(folder, file);
  const name = file.replace(/\.gz$/, '');
  return [name, sendPage({ type: extname(name), cache: IMMUTABLE, compressed: async () => content })];
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
