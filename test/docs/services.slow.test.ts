/** docs/services.md: what it prints or names runs as it stands, in a project made for it, against a gateway of its own. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { testedBlock } from '../documents/printed.js';
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newApiKey } from '../support/gateway/graphql.js';
import { type ServerProcess, startProcess } from '../support/gateway/server-process.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const PAGE = 'docs/services.md';
/** No registry answers: npm asks one for React, the optional peer, and goes on without. */
const NO_REGISTRY = {
  npm_config_registry: 'http://localhost:9',
  npm_config_fetch_retries: '0',
  npm_config_audit: 'false',
};

let gateway: TestGateway;
let server: ServerProcess;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway();
  const PORT = String(await freePort());
  server = await startProcess(gateway, { PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}` });
  const live = () => send(server.url, 'GET', '/health/live').catch(() => undefined);
  await until('it listens', async () => (await live())?.status === 200);
  const { keyId, secret } = await newApiKey(gateway);
  env = { PATH: process.env['PATH'] ?? '', GATEWAY_URL: server.url, KEY_ID: keyId, SECRET: secret };
  folder = await mkdtemp(join(tmpdir(), 'gateway-signed-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await gateway.close();
  await rm(folder, { recursive: true });
});

const ANSWER = { data: { caller: { callerType: 'api_key' } } };

/** Runs a file of the project, and the same with another secret. */
async function isAnsweredAsTheKey(file: string): Promise<void> {
  const runs = (given: Record<string, string>) => run(process.execPath, [file], { cwd: folder, env: given });
  expect(JSON.parse((await runs(env)).stdout)).toEqual(ANSWER);
  expect((await runs({ ...env, SECRET: 'aks_other' })).stdout).toContain('"reason":"invalid_signature"');
}

describe('the TypeScript example in a project of `npm init -y`', () => {
  beforeAll(async () => {
    const npm = { npm_config_cache: join(folder, 'cache'), ...NO_REGISTRY };
    await run('sh', ['-ec', testedBlock(PAGE, 'install')], { cwd: folder, env: { ...env, ...npm } });
    await copyFile('examples/services/signed.mts', join(folder, 'signed.mts'));
  });

  test('runs by Node itself', () => isAnsweredAsTheKey('signed.mts'));

  test('is compiled by the command on the page, and runs', async () => {
    const options = testedBlock(PAGE, 'compile').replace('npx tsc ', '').split(' ');
    // What `npm install --save-dev typescript @types/node` puts there
    await mkdir(join(folder, 'node_modules/@types'));
    await symlink(resolve('node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
    await symlink(resolve('node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
    await run(resolve('node_modules/.bin/tsc'), options, { cwd: folder, env });
    await isAnsweredAsTheKey('signed.mjs');
  });
});

test.each([
  ['http-message-signatures', () => readFile('examples/services/with-library.mjs', 'utf8')],
  ['http-message-sig', () => readFile('test/docs/http-message-sig.mjs', 'utf8')],
])('the lines for %s sign what the gateway takes', async (name, lines) => {
  const project = await mkdtemp(join(folder, 'library-'));
  await mkdir(join(project, 'node_modules'));
  await symlink(resolve('node_modules', name), join(project, 'node_modules', name));
  const snippet = await lines();
  expect(snippet).toContain(`from '${name}'`);
  const file = join(project, 'signed.mjs');
  await writeFile(file, snippet);
  await isAnsweredAsTheKey(file);
});
