/** The explorer at `/graphql`, outside production. `npm run build` has bundled and compressed its files. */
import type { Express, RequestHandler } from 'express';
import type { Deps } from '../../services.js';
import { addReadOnly } from '../errors.js';
import { compressWith, OWN_FILES_POLICY, readBuilt, readHtml, sendPage } from '../static-page.js';

/**
 * Sends the page if the client accepts HTML; otherwise passes the request on. It knows the origin whose logins are
 * accepted, so that it can lead there from another.
 */
export function explorerPage({ publicUrl, productName }: Deps<'config'>['config']): RequestHandler {
  const facts = { 'public-url': publicUrl, 'product-name': productName };
  const compressed = async () => compressWith(facts, await readHtml('explorer'));
  const send = sendPage({ type: 'html', policy: OWN_FILES_POLICY, compressed });
  return (req, res, next) => {
    res.vary('Accept');
    return req.get('accept')?.includes('text/html') ? send(req, res, next) : next();
  };
}

export function addExplorerFiles(app: Express): void {
  for (const type of ['js', 'css']) {
    addReadOnly(
      app,
      `/graphql/page.${type}`,
      sendPage({ type, compressed: () => readBuilt('explorer', `page.${type}.gz`) }),
    );
  }
}
