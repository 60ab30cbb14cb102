/** `node verify-by-library.mjs SNIPPET`: who each token of TOKENS is of, by the `verify` or the Express `app` that it exports. */
import { once } from 'node:events';

const { app, verify } = await import(process.argv[2]);

async function serving() {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/`;
  return async (token) => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    if (response.status !== 200) throw new Error(`${response.status}`);
    return response.json();
  };
}

const claimsOf = verify ?? (await serving());
const verdicts = {};
for (const [name, token] of Object.entries(JSON.parse(process.env.TOKENS))) {
  try {
    verdicts[name] = (await claimsOf(token)).sub;
  } catch {
    verdicts[name] = 'refused';
  }
}
process.stdout.write(JSON.stringify(verdicts), () => process.exit());
