/** The page at `/`. In development it shows addresses and examples, in production what this program is. (Interface 5) */
import { hash } from 'node:crypto';
import type { Express, RequestHandler } from 'express';
import { SET_PASSWORD_PATH } from '../../config/config.js';
import type { Deps } from '../../services.js';
import { addReadOnly } from '../errors.js';
import { compressText, sendPage } from '../static-page.js';
import { documentsHere } from './documents.js';
import { isForgotFormOurs, linkToApp } from './set-password-page.js';

/** Commands wrap, so that nothing scrolls aside on a phone. */
const STYLE =
  ':root{color-scheme:light dark;background:light-dark(#fff,#16181d);color:light-dark(#1b1b1f,#e6e6ea);font:1rem/1.5 system-ui,sans-serif}' +
  'body{margin:2rem auto;max-width:60rem;padding:0 1rem}a{color:light-dark(#0b4fc4,#9dbcff)}' +
  'pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.75rem;border:1px solid;border-radius:.25rem}';

const HEAD = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>auth-gateway</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<main>
`;

export function addFrontPage(app: Express, { config }: Deps<'config'>): void {
  const styleHash = `'sha256-${hash('sha256', STYLE, 'base64')}'`;
  const htmlPage = (text: () => string): RequestHandler =>
    sendPage({
      type: 'html',
      policy: { 'style-src': [styleHash], 'img-src': ['data:'] },
      compressed: () => compressText(text()),
    });
  addReadOnly(
    app,
    '/',
    config.isDevelopment ? htmlPage(() => frontPage(config)) : whatThisIs(htmlPage(() => signPage(config))),
  );
}

/** For who opens the bare address in production. It has no version. */
const WHAT_THIS_IS = 'This service logs people in for an application, and tells its other services who is calling.';

/** Browsers ask for HTML by name; everything else gets JSON, as of the other routes. */
function whatThisIs(forBrowsers: RequestHandler): RequestHandler {
  const json = sendPage({ type: 'json', compressed: () => compressText(JSON.stringify({ detail: WHAT_THIS_IS })) });
  return (req, res, next) => {
    res.vary('Accept');
    return (req.accepts(['json', 'html']) === 'html' ? forBrowsers : json)(req, res, next);
  };
}

function signPage({ appUrl }: Config): string {
  const onward = appUrl === undefined ? '' : `<p>${linkToApp(appUrl)}</p>\n`;
  return `${HEAD}<h1>auth-gateway</h1>\n<p>${WHAT_THIS_IS}</p>\n${onward}</main>\n</html>\n`;
}

/** @param links paths of this gateway, as they are shown, and what each leads to */
function listOf(links: Array<[path: string, what: string]>): string {
  const items = links.map(([path, what]) => `<li><a href="/${path.replace(/^\//, '')}">${path}</a>: ${what}</li>`);
  return `<ul>\n${items.join('\n')}\n</ul>`;
}

/** Commands, which a keyboard reaches too. */
function commands(label: string, text: string): string {
  return `<pre role="group" aria-label="${label}" tabindex="0">${text}</pre>`;
}

type Config = Deps<'config'>['config'];

/** Only an origin and numbers vary, so nothing needs escaping. */
function frontPage(config: Config): string {
  const { databaseUrl, graphql, login, metricsPort, publicUrl } = config;
  const who = databaseUrl === undefined ? 'admin@example.com' : 'you@example.com';
  const password =
    databaseUrl === undefined
      ? 'The first start has printed the password of admin@example.com.'
      : 'Create a user: <code>npm run --silent cli -- user create you@example.com --role admin</code>';
  const links: Array<[path: string, what: string]> = [
    ...(config.console
      ? [['/console/', 'console: who is logged in, what happened, and end it'] as [string, string]]
      : []),
    ...(graphql.explorer
      ? [['/graphql', 'explorer: log in, run queries and read the schema'] as [string, string]]
      : []),
    ...(isForgotFormOurs(config)
      ? [[SET_PASSWORD_PATH, 'page that sends a link to whoever has forgotten the password'] as [string, string]]
      : []),
    ['/openapi.json', 'description of the login routes (OpenAPI)'],
    ['/health/ready', 'whether the gateway is ready'],
    ...(metricsPort === undefined ? [['/metrics', 'metrics (Prometheus)'] as [string, string]] : []),
    ['/.well-known/jwks.json', 'public keys with which services verify access tokens'],
  ];
  const documents = documentsHere();
  return `${HEAD}<h1>auth-gateway</h1>
<p>Logs users in, and identifies callers over GraphQL: people, services and scheduled jobs. This page exists only in
development.</p>
<h2>Look</h2>
${listOf(links)}
<h2>Try</h2>
<p>${password} Log in:</p>
${commands(
  'Log in',
  `curl -i -c jar ${publicUrl}/auth/login -H 'Content-Type: application/json' \\
  -d '{"email":"${who}","password":"PASSWORD"}'`,
)}
<p>Who am I? Replace TOKEN with the <code>access_token</code> of the response:</p>
${commands(
  'Who am I?',
  `curl ${publicUrl}/graphql -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' \\
  -d '{"query":"{ caller { callerType scopes } }"}'`,
)}
<p>Refresh the token, then log out:</p>
${commands(
  'Refresh and log out',
  `curl -i -b jar -c jar -X POST ${publicUrl}/auth/refresh
curl -i -b jar -c jar -X POST ${publicUrl}/auth/logout`,
)}
<p>An IP address may try ${login.rateLimit} logins in ${login.rateWindowSeconds} seconds. To raise the limit, start it with
<code>LOGIN_RATE_LIMIT=1000</code>.</p>
<h2>Read</h2>
${documents.length > 0 ? listOf(documents) : '<p>The documents are in the repository.</p>'}
</main>
</html>
`;
}
