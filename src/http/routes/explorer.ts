/** Outside production: the explorer at `/graphql`, whose script and style `npm run build` has bundled and compressed. */
import type { Express, RequestHandler } from 'express';
import { methodNotAllowed } from '../errors.js';
import { compressText, OWN_FILES_POLICY, readBuilt, sendPage } from '../static-page.js';

const SCRIPT = '/graphql/page.js';
const STYLE = '/graphql/page.css';

/** @param publicUrl the origin whose logins are accepted, so that the page can lead there from another */
const html = (publicUrl: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>auth-gateway: explorer</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE}">
<div id="root" data-public-url="${publicUrl}"></div>
<noscript>The explorer needs JavaScript.</noscript>
<script type="module" src="${SCRIPT}"></script>
</html>
`;

/** Sends the page if the client accepts HTML; otherwise passes the request on. */
export function explorerPage(publicUrl: string): RequestHandler {
  const send = sendPage({ type: 'html', policy: OWN_FILES_POLICY, compressed: () => compressText(html(publicUrl)) });
  return (req, res, next) => {
    res.vary('Accept');
    return req.get('accept')?.includes('text/html') ? send(req, res, next) : next();
  };
}

export function addExplorerFiles(app: Express): void {
  for (const [path, type] of [
    [SCRIPT, 'js'],
    [STYLE, 'css'],
  ] as const) {
    app
      .route(path)
      .get(sendPage({ type, compressed: () => readBuilt('explorer', `page.${type}.gz`) }))
      .all(methodNotAllowed('GET', 'HEAD'));
  }
}
