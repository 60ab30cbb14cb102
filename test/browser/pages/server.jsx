// A server that renders the page of docs/server-side.md, and passes on what is the gateway's.
import { request as ask, createServer } from 'node:http';
import { renderToString } from 'react-dom/server';
import { App } from './app';
import { begin, end, visitorOf } from './session';

const { PORT, GATEWAY } = process.env;
const ROUTES = { 'GET /': page, 'POST /session': begin, 'DELETE /session': end };

async function page(request) {
  const visitor = await visitorOf(request);
  const known = JSON.stringify(visitor ?? null);
  const html = `<!doctype html><link rel="icon" href="data:,"><div id="root">${renderToString(<App visitor={visitor} />)}</div>
    <script id="visitor" type="application/json">${known}</script><script type="module" src="/page.js"></script>`;
  return new Response(html, { headers: { 'content-type': 'text/html', 'cache-control': 'no-store' } });
}

createServer(async (incoming, outgoing) => {
  const { method, url, headers } = incoming;
  const route = ROUTES[`${method} ${url}`];
  if (route === undefined) {
    const sent = ask(`${GATEWAY}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(sent);
    return;
  }
  const answer = await route(new Request(`http://localhost:${PORT}${url}`, { method, headers }));
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(PORT, 'localhost');
