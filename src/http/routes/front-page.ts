/** Interface 2, development: what somebody sees who opens the gateway in a browser: where things are, and what to try. */
import { hash } from 'node:crypto';
import type { Express } from 'express';
import type { Deps } from '../../services.js';
import { methodNotAllowed } from '../errors.js';
import { compressText, sendPage } from '../static-page.js';

/** Of the repository: they are read there, and not served. */
const DOCUMENTS = [
  ['README.md', 'what it is, and the first minutes'],
  ['docs/login.md', 'how to log people in, on a web page or without one'],
  ['docs/dashboards.md', 'what to ask over GraphQL, how much, and every error'],
  ['docs/services.md', 'how services sign their requests'],
  ['docs/monitoring.md', 'metrics, logs and health'],
];

const STYLE =
  ':root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}body{margin:2rem auto;max-width:60rem;padding:0 1rem}pre{overflow-x:auto;padding:.75rem;border:1px solid;border-radius:.25rem}';

/** `/` in development; elsewhere it is 404, as any path that is not there. */
export function addFrontPage(app: Express, { config }: Deps<'config'>): void {
  const styleHash = `'sha256-${hash('sha256', STYLE, 'base64')}'`;
  app
    .route('/')
    .get(
      sendPage({
        type: 'html',
        policy: { 'style-src': [styleHash], 'img-src': ['data:'] },
        compressed: () => compressText(frontPage(config)),
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD'));
}

type Shown = Pick<Deps<'config'>['config'], 'databaseUrl' | 'graphql' | 'login' | 'metricsPort' | 'publicUrl'>;

/** All that varies is an origin and numbers: nothing that could be markup. */
function frontPage({ databaseUrl, graphql, login, metricsPort, publicUrl }: Shown): string {
  const who = databaseUrl === undefined ? 'admin@example.com' : 'you@example.com';
  const password =
    databaseUrl === undefined
      ? 'The first start has printed the password of admin@example.com.'
      : 'Make yourself a user: <code>npm run --silent cli -- user create you@example.com --role admin</code>';
  const links: Array<[path: string, what: string]> = [
    ...(graphql.explorer ? [['/graphql', 'the explorer: log in, ask, and read the schema'] as [string, string]] : []),
    ['/openapi.json', 'the login routes, for programs (OpenAPI)'],
    ['/health/ready', 'whether it can answer now'],
    ...(metricsPort === undefined ? [['/metrics', 'its metrics (Prometheus)'] as [string, string]] : []),
    ['/.well-known/jwks.json', 'the keys by which services verify access tokens'],
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>auth-gateway</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<h1>auth-gateway</h1>
<p>It logs people in, and tells over GraphQL who is calling: a person, a service or a scheduled job. It runs here in
development; in production this page is not there.</p>
<h2>Look</h2>
<ul>
${links.map(([path, what]) => `<li><a href="${path}">${path}</a>: ${what}</li>`).join('\n')}
</ul>
<h2>Try</h2>
<p>${password} Log in:</p>
<pre>curl -i -c jar ${publicUrl}/auth/login -H 'Content-Type: application/json' \\
  -d '{"email":"${who}","password":"PASSWORD"}'</pre>
<p>Who am I? Put the <code>access_token</code> of the answer in the place of TOKEN:</p>
<pre>curl ${publicUrl}/graphql -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' \\
  -d '{"query":"{ caller { callerType scopes } }"}'</pre>
<p>Have a new token, and log out:</p>
<pre>curl -i -b jar -c jar -X POST ${publicUrl}/auth/refresh
curl -i -b jar -c jar -X POST ${publicUrl}/auth/logout</pre>
<p>An address may try ${login.rateLimit} logins in ${login.rateWindowSeconds} seconds. To try freely, start with
<code>LOGIN_RATE_LIMIT=1000 npm start</code>.</p>
<h2>Read</h2>
<p>In the folder of the gateway:</p>
<ul>
${DOCUMENTS.map(([file, what]) => `<li><code>${file}</code>: ${what}</li>`).join('\n')}
</ul>
</html>
`;
}
