/** examples/, which docs/login.md prints: each is installed and run against a real gateway with the variables that are named. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';
import { violationsOf } from './axe.js';
import { launchChromium } from './chromium.js';
import { startEdge } from './edge.js';
import { printed, variablesOf } from './printed.js';
import { inChromium } from './site.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const REACT_PACKAGES = ['react', 'react-dom', '@types', 'typescript', 'vite'];
const WRONG = 'wrong horse battery staple';

let cleanUp = new AsyncDisposableStack();
afterEach(async () => {
  await cleanUp.disposeAsync();
  cleanUp = new AsyncDisposableStack();
});

const passwords = quickPasswords();

async function gatewayWith(env: Record<string, string>): Promise<TestGateway> {
  const gateway = await startGateway({ clock: runningClock(), env, passwords });
  cleanUp.defer(gateway.close);
  return gateway;
}

/** The variables that examples/README.md names for a folder */
async function variablesFor(folder: string): Promise<Record<string, string>> {
  const readme = await readFile(join(ROOT, 'examples/README.md'), 'utf8');
  const row =
    readme
      .split('\n')
      .find((line) => line.includes(`(${folder})`))
      ?.split('|')[3] ?? '';
  return Object.fromEntries(Array.from(row.matchAll(/([A-Z_]+)=(\S+)/g), ([, name = '', value = '']) => [name, value]));
}

/** A copy of the example, with other origins, whose client is installed from the gateway and all else taken from here. */
async function install(example: string, gatewayUrl: string, packages: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'example-'));
  cleanUp.defer(() => rm(folder, { recursive: true, maxRetries: 10 }));
  const isOurs = (path: string) => !/node_modules|dist|package(-lock)?\.json$/.test(path.slice(ROOT.length));
  await cp(join(ROOT, 'examples', example), folder, { recursive: true, filter: isOurs });
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'examples', example, 'package.json'), 'utf8'));
  const client = dependencies['@auth-gateway/client'];
  const ofExample = { type: 'module', dependencies: { '@auth-gateway/client': client } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(ofExample));
  const served = client.replace('http://localhost:3000', gatewayUrl); // which npm takes in the place of the other
  // No registry answers: npm asks one for React, the optional peer, and goes on without.
  const registry = ['--registry=http://localhost:9', '--fetch-retries=0'];
  await run('npm', ['install', '--no-audit', ...registry, served], { cwd: folder });
  for (const name of packages) await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

async function replaceIn(file: string, replacements: Record<string, string>): Promise<string> {
  const text = Object.entries(replacements).reduce(
    (before, [from, to]) => before.replaceAll(from, to),
    await readFile(file, 'utf8'),
  );
  await writeFile(file, text);
  return text;
}

interface Site {
  gateway: TestGateway;
  page: Page;
}

async function openPage(origin: string): Promise<Page> {
  const browser = await launchChromium();
  cleanUp.defer(() => browser.close());
  const profile = await browser.newContext();
  profile.setDefaultTimeout(120_000);
  const page = await profile.newPage();
  await page.goto(origin);
  return page;
}

/** The page with React behind the proxy of Vite, free of type errors. */
async function startReact(): Promise<Site & { refreshes: unknown[] }> {
  const port = String(await freePort());
  const origin = `http://localhost:${port}`;
  const env = await variablesFor('react');
  expect(variablesOf('npm ci && PUBLIC_URL=', printed())).toEqual(env);
  expect(env).toEqual({ PUBLIC_URL: 'http://localhost:5173', REFRESH_RETRY: 'true' });
  const gateway = await gatewayWith({ ...env, PUBLIC_URL: origin });
  const edge = await startEdge();
  cleanUp.defer(edge.close);
  edge.leadTo(gateway.url);
  const folder = await install('react', gateway.url, REACT_PACKAGES);
  await replaceIn(join(folder, 'vite.config.ts'), { '5173': port, 'http://127.0.0.1:3000': edge.url });
  const types = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder }).catch((error) => error);
  expect(types.stdout).toBe('');
  await startVite(folder, origin);
  return { gateway, page: await openPage(origin), refreshes: edge.refreshes };
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

/** The page without a framework at one origin, the gateway at another. */
async function startPlain(): Promise<Site> {
  const [pages, edge] = [await startEdge(), await startEdge()];
  cleanUp.defer(pages.close);
  cleanUp.defer(edge.close);
  const env = await variablesFor('plain');
  expect(env).toEqual({ CORS_ORIGINS: 'http://localhost:5173', REFRESH_RETRY: 'true' });
  const gateway = await gatewayWith({ ...env, CORS_ORIGINS: pages.url, PUBLIC_URL: edge.url });
  edge.leadTo(gateway.url);
  const text = (file: string) => readFile(join(ROOT, 'examples/plain', file), 'utf8');
  pages.serve('/', 'text/html', await text('index.html'));
  const script = (await text('main.js')).replaceAll('http://localhost:3000', edge.url);
  pages.serve('/main.js', 'text/javascript', script);
  return { gateway, page: await openPage(pages.url) };
}

const submit = (page: Page) => page.locator('button[type=submit]:visible');
const alertOf = (page: Page) => page.locator('[role=alert]').innerText();

async function logIn(page: Page, email: string, password: string): Promise<void> {
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', password);
  await submit(page).click();
}

async function countOf({ rows }: TestGateway, eventType: string): Promise<number> {
  return (await rows('select id from audit_events where event_type = $1', [eventType])).length;
}

const EXAMPLES = [
  ['react', startReact],
  ['plain', startPlain],
] as const;
for (const [name, start] of EXAMPLES) {
  inChromium(`examples/${name} in Chromium`, () => {
    test('a wrong password, a reload, a second tab, and no theft', async () => {
      const { gateway, page } = await start();
      const { email } = await gateway.user();
      await logIn(page, email, WRONG);
      await page.waitForSelector('text=Invalid credentials');
      expect(await page.inputValue('[name=email]')).toBe(email);
      expect(await page.inputValue('[name=password]')).toBe('');
      await page.fill('[name=password]', PASSWORD);
      await submit(page).click();
      await page.waitForSelector('text=Logged in as viewer');
      await page.reload();
      await page.waitForSelector('text=Logged in as viewer');
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.click('text="Log out"');
      await page.waitForSelector('[name=password]');
      expect(await countOf(gateway, 'token_theft')).toBe(0);
    });

    test('three clicks are one login, an old problem goes when a new try begins, and a 429 says when', async () => {
      const { gateway, page } = await start();
      const { id, email } = await gateway.user();
      await logIn(page, email, WRONG);
      await page.waitForSelector('text=Invalid credentials');
      const held = passwords.hold();
      await page.fill('[name=password]', WRONG);
      await submit(page).click({ clickCount: 3 });
      await held.reached(1);
      expect([await submit(page).isDisabled(), await alertOf(page)]).toEqual([true, '']);
      held.release();
      await page.waitForSelector('text=Invalid credentials');
      expect(await countOf(gateway, 'login_failure')).toBe(2);
      expect(await submit(page).isDisabled()).toBe(false);

      await gateway.rows(`update users set locked_until = now() + interval '10 minutes' where id = $1`, [id]);
      await page.fill('[name=password]', PASSWORD);
      await submit(page).click();
      await page.waitForSelector('text=Next try in 10 min.');
    });

    test('a log-out without a network is shown, and goes on', async () => {
      const { gateway, page } = await start();
      const { email } = await gateway.user();
      await logIn(page, email, PASSWORD);
      await page.waitForSelector('text=Logged in as viewer');
      await page.route('**/auth/logout', (route) => route.abort());
      await page.click('text="Log out"');
      await page.waitForSelector('text=Not logged out yet');
      await page.reload();
      await page.waitForSelector('text=Not logged out yet');
      await page.unroute('**/auth/logout');
      await page.waitForSelector('[name=password]');
      expect(await countOf(gateway, 'logout')).toBe(1);
      await logIn(page, email, PASSWORD);
      await page.waitForSelector('text=Logged in as viewer');
      expect(await alertOf(page)).toBe('');
    });

    test('axe finds nothing, and a phone scrolls nothing aside', async () => {
      const { gateway, page } = await start();
      const { email } = await gateway.user();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width: 360, height: 800 });
        await page.waitForSelector('[name=password]');
        expect(await violationsOf(page)).toEqual([]);
        await logIn(page, email, PASSWORD);
        await page.waitForSelector('text=Logged in as viewer');
        expect(await violationsOf(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
        await page.click('text="Log out"');
      }
    });
  });
}

inChromium('examples/react in Chromium', () => {
  test('StrictMode refreshes once, and the page asks GraphQL who it is', async () => {
    const { gateway, page, refreshes } = await startReact();
    const { email } = await gateway.user();
    await logIn(page, email, PASSWORD);
    await page.waitForSelector('text=Logged in as viewer');
    await page.reload();
    await page.click('text=Who am I?');
    await page.waitForSelector(`text=${email}`);
    expect(refreshes).toEqual([{ status: 200, over: true }]);
  });
});

test('examples/node: a program stays logged in between runs, in a file that only its owner can read', async () => {
  const env = await variablesFor('node');
  expect(env).toEqual({ REFRESH_RETRY: 'true' });
  const gateway = await gatewayWith(env);
  const folder = await install('node', gateway.url, ['tough-cookie']);
  const { email } = await gateway.user();
  const ask = async (variables: Record<string, string>, ...args: string[]) => {
    const env = { ...process.env, GATEWAY: gateway.url, ...variables };
    return (await run(process.execPath, ['who-am-i.js', ...args], { cwd: folder, env })).stdout.trim();
  };
  const me = `{ email: '${email}', role: 'viewer' }`;
  expect(await ask({ EMAIL: email, PASSWORD })).toBe(me);
  expect(await ask({})).toBe(me);
  expect((await stat(join(folder, 'session.json'))).mode & 0o777).toBe(0o600);
  expect(await ask({}, 'logout')).toBe('Logged out');
  await expect(ask({})).rejects.toMatchObject({ code: 1, stderr: 'Not logged in: set EMAIL and PASSWORD\n' });
  await expect(ask({ EMAIL: email, PASSWORD: WRONG })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Invalid credentials'),
  });
  expect(await countOf(gateway, 'token_theft')).toBe(0);
});
