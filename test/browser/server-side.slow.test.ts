/** docs/server-side.md: both ways with the files of examples/server-side, on a server and in a page that takes over from it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { installClient } from '../client/packed.js';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';
import { tokenOf } from './asked.js';
import { launchChromium } from './chromium.js';
import { type Edge, startEdge } from './edge.js';
import { inChromium } from './site.js';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = join(import.meta.dirname, 'pages');
const PACKAGES = ['react', 'react-dom', 'jose', '@types/react', '@types/react-dom'];

inChromium('docs/server-side.md in Chromium', () => {
  const cleanUp = new AsyncDisposableStack();
  afterAll(() => cleanUp.disposeAsync());
  let gateway: TestGateway;
  let edge: Edge;
  let browser: Browser;
  let page: Page;
  /** Errors and warnings: React reports here if the page renders something else than the server */
  const said: string[] = [];

  beforeAll(async () => {
    const project = cleanUp.use(installClient());
    for (const name of PACKAGES) project.link(name);
    const files = ['app.tsx', 'session.ts', 'report.ts'];
    for (const name of files) await copyFile(join(ROOT, 'examples/server-side', name), join(project.folder, name));
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUnusedLocals: true, verbatimModuleSyntax: true };
    const modules = { module: 'esnext', moduleResolution: 'bundler', jsx: 'react-jsx', skipLibCheck: true };
    const compilerOptions = { ...strict, ...modules, types: ['node'], typeRoots: [resolve('node_modules/@types')] };
    const options = { compilerOptions: { ...compilerOptions, target: 'es2022', noEmit: true }, files };
    project.save('tsconfig.json', JSON.stringify(options));
    expect(project.run(join(ROOT, 'node_modules/.bin/tsc'), '-p', '.')).toBe('');

    for (const name of ['server.jsx', 'hydrate.jsx']) await copyFile(join(PAGES, name), join(project.folder, name));
    const bundle = { absWorkingDir: project.folder, bundle: true, format: 'esm', jsx: 'automatic' } as const;
    await build({
      ...bundle,
      entryPoints: ['server.jsx'],
      packages: 'external',
      platform: 'node',
      outfile: 'server.js',
    });
    const define = { 'process.env.NODE_ENV': '"development"' };
    const { outputFiles } = await build({ ...bundle, entryPoints: ['hydrate.jsx'], define, write: false });

    const port = String(await freePort());
    edge = await startEdge();
    cleanUp.defer(edge.close);
    gateway = await startGateway({ clock: runningClock(), env: { PUBLIC_URL: edge.url } });
    cleanUp.defer(gateway.close);
    edge.leadTo(`http://localhost:${port}`);
    edge.serve('/page.js', 'text/javascript', outputFiles[0]?.text ?? '');
    const env = { ISSUER: edge.url, AUDIENCE: edge.url, SESSION_KEY: 'a key that this test has thought of' };
    const server = spawn(process.execPath, ['server.js'], {
      cwd: project.folder,
      env: { PATH: process.env['PATH'], PORT: port, GATEWAY: gateway.url, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(server, 'exit');
    cleanUp.defer(async () => {
      server.kill();
      await ended;
    });
    const firstPaint = () => fetch(edge.url).then((answer) => answer.ok);
    await until('the server answers', () => firstPaint().catch(() => false));
    browser = await launchChromium();
    cleanUp.defer(() => browser.close());
  });

  /** A page with cookies of its own, which nobody has logged in */
  beforeEach(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    said.length = 0;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') said.push(message.text());
    });
    page.on('pageerror', (error) => said.push(error.message));
    await page.goto(edge.url);
    await page.waitForSelector('text=Logged out');
  });
  afterEach(() => page.close());

  /** What the server renders for this browser */
  const rendered = (): Promise<string> =>
    page.evaluate(
      "fetch('/').then((answer) => answer.text()).then((html) => /<p>.*<\\/p>/.exec(html)[0].replace(/<.*?>/g, ''))",
    );
  const sessionCookie = async () => (await page.context().cookies()).find(({ name }) => name === 'session');

  test('the first paint knows nobody, and the page takes over', async () => {
    expect(await rendered()).toBe('One moment');
    expect(said).toEqual([]);
  });

  test('the application has a session of its own from the login to the logout', async () => {
    const { email } = await gateway.user();
    await page.evaluate(`auth.login(${JSON.stringify({ email, password: PASSWORD })})`);
    await until('the server knows', async () => (await sessionCookie()) !== undefined);
    expect(await sessionCookie()).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' });
    expect(await rendered()).toBe('Logged in as viewer');
    await page.reload();
    await page.waitForSelector('text=Logged in as viewer');
    expect(await tokenOf(page)).toEqual(expect.any(String));

    await page.evaluate('auth.logout()');
    await page.waitForSelector('text=Logged out');
    await until('the server knows', async () => (await sessionCookie()) === undefined);
    expect(await rendered()).toBe('One moment');
    expect(said).toEqual([]);
  });

  test('it is made of no other token, and nobody else can make one', async () => {
    const { email } = await gateway.user();
    await page.evaluate(`auth.login(${JSON.stringify({ email, password: PASSWORD })})`);
    await until('the server knows', async () => (await sessionCookie()) !== undefined);
    const token = (await tokenOf(page)) ?? '';
    const { value = '' } = (await sessionCookie()) ?? {};
    await page.context().clearCookies({ name: 'session' });
    const changed = (jwt: string) => jwt.replace(/\.(.)/, (_, letter: string) => `.${letter === 'e' ? 'f' : 'e'}`);
    const begin = (given: string) => ({ method: 'POST', headers: { authorization: `Bearer ${given}` } });
    for (const [given, status] of [
      [changed(token), 401],
      [value, 401],
      [token, 204],
    ] as const) {
      const { status: answered } = await fetch(`${edge.url}/session`, begin(given));
      expect(answered).toBe(status);
    }
    for (const session of [changed(value), token, '']) {
      const answer = await fetch(edge.url, { headers: { cookie: `session=${session}` } });
      expect(await answer.text()).toContain('One moment');
    }
    const answer = await fetch(edge.url, { headers: { cookie: `other=1; session=${value}` } });
    expect(await answer.text()).toContain('viewer');
  });
});
