/** docs/login.md: each example runs as it is printed, against a real gateway with the variables that are printed. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';
import { bundle } from './bundle.js';
import { launchChromium } from './chromium.js';
import { startEdge } from './edge.js';
import { blockWith, printed, variablesOf } from './printed.js';
import { inChromium } from './site.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const TEMPLATE = join(import.meta.dirname, 'pages/template');
const FIRST = 'npm ci && PUBLIC_URL=';

let cleanUp = new AsyncDisposableStack();
afterEach(async () => {
  await cleanUp.disposeAsync();
  cleanUp = new AsyncDisposableStack();
});

/** A gateway with the variables of the first block, on the page's origin */
async function gatewayAt(pageOrigin: string): Promise<TestGateway> {
  const env = variablesOf(FIRST, printed({ 'http://localhost:5173': pageOrigin }));
  expect(env).toEqual({ PUBLIC_URL: pageOrigin, REFRESH_RETRY: 'true' });
  const gateway = await startGateway({ clock: runningClock(), env });
  cleanUp.defer(gateway.close);
  return gateway;
}

async function openPage(): Promise<Page> {
  const browser: Browser = await launchChromium();
  cleanUp.defer(() => browser.close());
  const profile = await browser.newContext();
  profile.setDefaultTimeout(120_000);
  return profile.newPage();
}

async function logIn(page: Page, email: string, password: string): Promise<void> {
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', password);
  await page.click('text=Log in');
}

async function thefts({ rows }: TestGateway): Promise<unknown[]> {
  return rows("select id from audit_events where event_type = 'token_theft'");
}

/** The project that `npm create vite` and `npm install` make; what is installed here is taken from here. */
async function project(gatewayUrl: string, origin: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'my-app-'));
  cleanUp.defer(() => rm(folder, { recursive: true, maxRetries: 10 }));
  const text = printed({
    ...{ '5173': new URL(origin).port, 'http://127.0.0.1:3000': gatewayUrl, 'http://localhost:3000': gatewayUrl },
  });
  const [, served = ''] = /npm install (\S+)/.exec(blockWith('shell', 'client.tgz', text)) ?? [];
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  // No registry answers: npm asks one for React, the optional peer, and goes on without.
  const registry = ['--registry=http://localhost:9', '--fetch-retries=0'];
  await run('npm', ['install', '--no-audit', ...registry, served], { cwd: folder });
  for (const name of ['react', 'react-dom', 'vite'])
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  await mkdir(join(folder, 'src'));
  await copyFile(join(TEMPLATE, 'index.html'), join(folder, 'index.html'));
  await copyFile(join(TEMPLATE, 'main.jsx'), join(folder, 'src/main.jsx'));
  await writeFile(join(folder, 'vite.config.js'), blockWith('js', 'defineConfig', text));
  await writeFile(join(folder, 'src/auth.js'), blockWith('js', 'export const auth'));
  await writeFile(join(folder, 'src/App.jsx'), blockWith('jsx', 'export default function App'));
  return folder;
}

async function startVite(folder: string, origin: string): Promise<void> {
  const vite = spawn(process.execPath, [join(ROOT, 'node_modules/vite/bin/vite.js')], { cwd: folder, stdio: 'ignore' });
  const ended = once(vite, 'exit');
  cleanUp.defer(async () => {
    vite.kill('SIGKILL');
    await ended;
  });
  const answers = () =>
    fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('Vite answers', answers);
}

inChromium('docs/login.md in Chromium', () => {
  test('React behind the proxy of Vite: log in, reload, a second tab, ask, log out', async () => {
    const origin = `http://localhost:${await freePort()}`;
    const gateway = await gatewayAt(origin);
    const { email } = await gateway.user();
    const edge = await startEdge();
    cleanUp.defer(edge.close);
    edge.leadTo(gateway.url);
    await startVite(await project(edge.url, origin), origin);
    const page = await openPage();
    await page.goto(origin);
    await logIn(page, email, 'wrong');
    await page.waitForSelector('text=Invalid credentials');
    await logIn(page, email, PASSWORD);
    await page.waitForSelector('text=Logged in as viewer');
    await page.reload();
    await page.waitForSelector('text=Logged in as viewer');
    expect(edge.refreshes).toEqual([{ status: 200, over: true }]); // one, though StrictMode runs effects twice
    const other = await page.context().newPage();
    await other.goto(origin);
    await other.click('text=Who am I?');
    await other.waitForSelector(`text=${email}`);
    await other.click('text=Log out');
    await page.waitForSelector('[name=password]');
    expect(await thefts(gateway)).toEqual([]);
  });

  test('without a framework: log in, reload, log out', async () => {
    const edge = await startEdge();
    cleanUp.defer(edge.close);
    const gateway = await gatewayAt(edge.url);
    edge.leadTo(gateway.url);
    edge.serve('/', 'text/html', blockWith('html', 'main.js'));
    edge.serve('/main.js', 'text/javascript', await bundle(blockWith('js', 'function show')));
    const { email } = await gateway.user();
    const page = await openPage();
    await page.goto(edge.url);
    await logIn(page, email, 'wrong');
    await page.waitForSelector('text=Invalid credentials');
    await logIn(page, email, PASSWORD);
    await page.waitForSelector('text=Logged in');
    await page.reload();
    await page.click('text=Log out');
    await page.waitForSelector('[name=password]');
    expect(await thefts(gateway)).toEqual([]);
  });
});
