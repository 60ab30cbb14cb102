/** The console. `npm run build` has bundled, named and compressed its files. (Interface 19) */
import { readdir } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Express, RequestHandler } from 'express';
import { packagePath } from '../../platform/package-path.js';
import type { Deps } from '../../services.js';
import { methodNotAllowed, notFound } from '../errors.js';
import { compressWith, IMMUTABLE, madeOnce, OWN_FILES_POLICY, readBuilt, readHtml, sendPage } from '../static-page.js';
import { isForgotFormOurs } from './set-password-page.js';

/** Both are routes of the log and the metrics as well, whatever follows them in a path. */
const PAGE = '/console';
const ASSETS = '/console/assets';
const BELOW_PAGE = /^\/console(?:\/|$)/;
const BELOW_ASSETS = /^\/console\/assets(?:\/|$)/;

/** In a decoded path: what other programs take for another path, such as dot segments, or for an asset. */
const NO_VIEW = /[/\\]\.{1,2}(?:[/\\]|$)|^\/console\/assets(?:\/|$)|\p{Cc}/u;

const PAGE_FILE = 'page.html.gz';

/** The page at every path below `/console`, so that a view survives a reload, and the files that it loads. */
export function addConsole(app: Express, { config }: Deps<'config'>): void {
  // All at once: a gateway that runs serves one build, even if another one replaces its files.
  const built = madeOnce(async () => {
    const page = await readHtml('console', PAGE_FILE);
    const names = await readdir(packagePath('dist', 'console')); // after the page, which is written last
    const assets = names.filter((name) => name !== PAGE_FILE).map(readAsset);
    return { page, assets: new Map(await Promise.all(assets)) };
  });
  const facts = {
    'public-url': config.publicUrl, // the origin whose logins are accepted
    explorer: config.graphql.explorer,
    'set-password': isForgotFormOurs(config),
    'product-name': config.publicAuthority,
  };
  const sendConsole = sendPage({
    type: 'html',
    policy: OWN_FILES_POLICY,
    cache: 'no-store',
    compressed: async () => compressWith(facts, (await built()).page),
  });
  const readOnly = methodNotAllowed('GET', 'HEAD');

  app.route(BELOW_ASSETS).all(async (req, res, next) => {
    res.locals.route = ASSETS;
    const { assets } = await built();
    const send = assets.get(req.path.slice(ASSETS.length + 1));
    if (send === undefined) return notFound(req, res, next); // never the page: a tab of an older build must notice
    return isRead(req.method) ? send(req, res, next) : readOnly(req, res, next);
  });
  app.route(BELOW_PAGE).all((req, res, next) => {
    res.locals.route = PAGE;
    if (!isView(req.path)) return notFound(req, res, next);
    return isRead(req.method) ? sendConsole(req, res, next) : readOnly(req, res, next);
  });
}

async function readAsset(name: string): Promise<[name: string, send: RequestHandler]> {
  const content = await readBuilt('console', name);
  const plainName = name.replace(/\.gz$/, '');
  return [plainName, sendPage({ type: extname(plainName), cache: IMMUTABLE, compressed: async () => content })];
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isView(path: string): boolean {
  try {
    return !NO_VIEW.test(decodeURIComponent(path));
  } catch {
    return false; // an invalid escape
  }
}
