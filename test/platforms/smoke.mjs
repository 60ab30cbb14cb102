/**
 * The built program on another platform: `smoke.mjs FOLDER WORD…`. The words start `bin/auth-gateway`, as `chroot ROOT PATH`;
 * FOLDER is a new folder for its data, as the program sees it. It has its own PostgreSQL.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import '../support/jest/typescript.js';

const { send, refreshTokenOf } = await import('../support/gateway/gateway.js');
const { login, logout, refresh } = await import('../support/gateway/routes.js');
const { signByHand } = await import('../support/independent/signer.js');

const [folder = '', file = '', ...words] = process.argv.slice(2);
const PORT = 18190;
const env = { PATH: process.env.PATH, DATA_DIR: `${folder}/data`, PORT: String(PORT), LOGIN_RATE_LIMIT: '1000' };
const on = { send: (method, path, options) => send(`http://127.0.0.1:${PORT}`, method, path, options) };
const json = async (...more) => {
  const { stdout } = await promisify(execFile)(file, [...words, ...more, '--json'], { env });
  return JSON.parse(stdout);
};

async function start() {
  const gateway = spawn(file, [...words, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => gateway.kill('SIGKILL'));
  let said = '';
  const exited = once(gateway, 'exit');
  const ready = new Promise((resolve) => {
    for (const stream of [gateway.stdout, gateway.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
        if (said.includes('"msg":"ready"')) resolve();
      });
    }
  });
  await Promise.race([ready, exited]);
  assert.equal(gateway.exitCode, null, said);
  const stop = async () => {
    gateway.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  };
  return { said, stop };
}

let gateway = await start();
const password = /^ *password: (\S+)/m.exec(gateway.said)?.[1];
const first = await login(on, 'admin@example.com', password);
assert.equal(first.status, 200, first.text);
const second = await refresh(on, refreshTokenOf(first));
assert.equal(second.status, 200);

const body = JSON.stringify({ query: '{ caller { callerType } }' });
const callerBy = async (headers) =>
  (await on.send('POST', '/graphql', { headers: { 'content-type': 'application/json', ...headers }, body })).json;
const user = { authorization: `Bearer ${second.json.access_token}` };
assert.deepEqual(await callerBy(user), { data: { caller: { callerType: 'user' } } });
const key = await json('api-key', 'create', '--service', 'reader', '--scope', 'users:read', '--rate-limit', '60');
const nowSeconds = Math.floor(Date.now() / 1000);
const signing = { keyId: key.key_id, secret: key.secret, authority: `localhost:${PORT}`, nowSeconds, body };
const { headers } = signByHand(signing);
assert.deepEqual(await callerBy(Object.fromEntries(headers)), { data: { caller: { callerType: 'api_key' } } });

const { rows } = await json('database', 'export', '--out', `${folder}/export`);
assert.equal(rows.users, 1);
await gateway.stop();
gateway = await start(); // on what the first start has made
const third = await refresh(on, refreshTokenOf(second));
assert.equal(third.status, 200);
assert.equal((await logout(on, refreshTokenOf(third))).status, 200);
assert.equal((await refresh(on, refreshTokenOf(third))).status, 401);
await gateway.stop();
const { version, node, revision } = await json('version');
process.stdout.write(`passed: ${version} ${revision} on Node ${node}\n`);
process.exit();
