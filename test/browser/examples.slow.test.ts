/** examples/: each is installed and run against a real gateway with the variables that are named. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { testedBlock } from '../documents/printed.js';
import { runningClock } from '../support/gateway/clock.js';
import { codeAt, withTotp, wrongCode } from '../support/gateway/factors.js';
import { claimsOf, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { packagesFolder } from '../support/programs/packages.js';
import { freePort } from '../support/programs/redis.js';
import { violationsOf } from './axe.js';
import { launchHeadlessShell } from './chromium.js';
import { startEdge } from './edge.js';
import { install, ROOT, replaceIn, startProgram, variablesFor } from './installed.js';
import { variablesOf } from './printed.js';
import { inChromium } from './site.js';

const run = promisify(execFile);
const REACT_PACKAGES = ['jose', 'react', 'react-dom', '@types', 'typescript'];
const FOR_EXAMPLES = { MAIL: 'log', REFRESH_RETRY: 'true', LOGIN_RATE_LIMIT: '1000' };
const WRONG = 'wrong horse battery staple';

let cleanUp = new AsyncDisposableStack();
let browser: Browser | undefined;
afterAll(() => browser?.close());
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

interface Site {
  gateway: TestGateway;
  page: Page;
}

interface ReactSite extends Site {
  refreshes: unknown[];
  origin: string;
  /** Where the example is, with the ports of this test */
  folder: string;
}

async function openPage(origin: string): Promise<Page> {
  browser ??= await launchHeadlessShell();
  const profile = await browser.newContext();
  cleanUp.defer(() => profile.close());
  profile.setDefaultTimeout(120_000);
  const page = await profile.newPage();
  await page.goto(origin);
  return page;
}

/**
 * The page with React behind the proxy of Vite, free of type errors.
 * @param sources files of `src`, in the place of those of the example. They are there before Vite, which would reload the page
 *   at some later moment
 */
async function startReact(sources: Record<string, string> = {}): Promise<ReactSite> {
  const port = String(await freePort());
  const origin = `http://localhost:${port}`;
  const env = await variablesFor('react');
  expect(variablesOf(testedBlock('docs/login.md', 'start'))).toEqual(env);
  expect(env).toEqual({ PUBLIC_URL: 'http://localhost:5173', ...FOR_EXAMPLES });
  const gateway = await gatewayWith({ ...env, PUBLIC_URL: origin });
  const edge = await startEdge();
  cleanUp.defer(edge.close);
  edge.leadTo(gateway.url);
  const folder = await install(cleanUp, 'react', gateway.url, REACT_PACKAGES);
  const vite = join(await packagesFolder(), 'node_modules/vite');
  await symlink(vite, join(folder, 'node_modules/vite'));
  await replaceIn(join(folder, 'vite.config.ts'), { '5173': port, 'http://127.0.0.1:3000': edge.url });
  for (const [name, source] of Object.entries(sources)) await writeFile(join(folder, 'src', name), source);
  const types = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder }).catch((error) => error);
  expect(types.stdout).toBe('');
  await startProgram(cleanUp, folder, origin, join(vite, 'bin/vite.js'));
  return { gateway, page: await openPage(origin), refreshes: edge.refreshes, origin, folder };
}

/** The page without a framework at one origin, the gateway at another. */
async function startPlain(): Promise<Site> {
  const [pages, edge] = [await startEdge(), await startEdge()];
  cleanUp.defer(pages.close);
  cleanUp.defer(edge.close);
  const env = await variablesFor('plain');
  expect(env).toEqual({ CORS_ORIGINS: 'http://localhost:5173', ...FOR_EXAMPLES });
  const gateway = await gatewayWith({ ...env, CORS_ORIGINS: pages.url, PUBLIC_URL: edge.url });
  edge.leadTo(gateway.url);
  const text = (file: string) => readFile(join(ROOT, 'examples/plain', file), 'utf8');
  const here = async (file: string) => (await text(file)).replaceAll('http://localhost:3000', edge.url);
  pages.serve('/', 'text/html', await here('index.html'));
  pages.serve('/main.js', 'text/javascript', await here('main.js'));
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
      await page.waitForSelector(`text=Logged in as ${email}`);
      await page.reload();
      await page.waitForSelector(`text=Logged in as ${email}`);
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.click('text="Log out"');
      await page.waitForSelector('[name=password]');
      expect(await countOf(gateway, 'token_theft')).toBe(0);
    });

    test('three clicks are one login, an old problem goes when a new try begins, and a lock says until when', async () => {
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
      await page.waitForSelector('text=A new password by a link unlocks it at once.');
      expect(await alertOf(page)).toMatch(/failed attempts, until .*\d:\d\d:\d\d.*\. A new/);
    });

    test('Interface 21: the page of forgotten passwords knows the e-mail that was typed', async () => {
      const { gateway, page } = await start();
      const { email } = await gateway.user();
      await logIn(page, email, WRONG);
      await page.waitForSelector('text=Invalid credentials');
      await page.click('text=Forgot your password?');
      await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
      expect(await page.getByLabel('E-mail', { exact: true }).inputValue()).toBe(email);
    });

    test('a log-out without a network is shown, and goes on', async () => {
      const { gateway, page } = await start();
      const { email } = await gateway.user();
      await logIn(page, email, PASSWORD);
      await page.waitForSelector(`text=Logged in as ${email}`);
      await page.route('**/auth/logout', (route) => route.abort());
      await page.click('text="Log out"');
      await page.waitForSelector('text=Not logged out yet');
      await page.reload();
      await page.waitForSelector('text=Not logged out yet');
      await page.unroute('**/auth/logout');
      await page.waitForSelector('[name=password]');
      expect(await countOf(gateway, 'logout')).toBe(1);
      await logIn(page, email, PASSWORD);
      await page.waitForSelector(`text=Logged in as ${email}`);
      expect(await alertOf(page)).toBe('');
    });

    test('Interface 20: a second step takes a code or a recovery code, and can be given up', async () => {
      const { gateway, page } = await start();
      const { user, secret, recoveryCodes } = await withTotp(gateway);
      await logIn(page, user.email, PASSWORD);
      await page.waitForSelector('text=One more step');
      await page.waitForFunction('document.activeElement?.name === "code"');
      expect(await violationsOf(page)).toEqual([]);
      await page.fill('[name=code]', wrongCode(secret, gateway.clock.now()));
      await submit(page).click();
      await page.waitForSelector('text=Invalid credentials');
      await page.click('text=Cancel');
      await logIn(page, user.email, PASSWORD);
      await page.waitForSelector('text=One more step');
      expect(await alertOf(page)).toBe('');
      await page.fill('[name=code]', codeAt(secret, gateway.clock.now()));
      await submit(page).click();
      await page.waitForSelector(`text=Logged in as ${user.email}`);
      await page.reload();
      await page.click('text="Log out"');
      await page.waitForSelector('[name=password]');
      await logIn(page, user.email, PASSWORD);
      await page.fill('[name=code]', recoveryCodes[0] ?? '');
      await submit(page).click();
      await page.waitForSelector(`text=Logged in as ${user.email}`);
    });

    test('axe finds nothing, and a phone scrolls nothing aside', async () => {
      const { gateway, page } = await start();
      const { email } = await gateway.user();
      await page.addStyleTag({ content: ':root { background: Canvas }' }); // axe takes a page without one for white
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width: 360, height: 800 });
        await page.waitForSelector('[name=password]');
        expect(await violationsOf(page)).toEqual([]);
        await logIn(page, email, PASSWORD);
        await page.waitForSelector(`text=Logged in as ${email}`);
        expect(await violationsOf(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
        await page.click('text="Log out"');
      }
    });
  });
}

inChromium('examples/react in Chromium', () => {
  test('StrictMode refreshes once, and the page says who it is', async () => {
    const { gateway, page, refreshes } = await startReact();
    const { email } = await gateway.user();
    await logIn(page, email, PASSWORD);
    await page.waitForSelector(`text=Logged in as ${email}`);
    await page.reload();
    await page.waitForSelector(`text=Logged in as ${email}`);
    expect(refreshes).toEqual([{ status: 200, over: true }]);
  });
});

/** A page behind a guard, and /login, as an application without a router has them. */
const GUARDED = `
import { createRoot } from 'react-dom/client';
import { auth } from './auth';
import { comeBack, RequireLogin } from './RequireLogin';

async function logIn(form: FormData) {
  await auth.login(form);
  comeBack();
}
const login = (
  <form action={logIn}>
    <input name="email" />
    <input name="password" />
    <button type="submit">Log in</button>
  </form>
);
createRoot(document.getElementById('root') as HTMLElement).render(
  location.pathname === '/login' ? login : <RequireLogin>Only for users</RequireLogin>,
);
`;

/** The front end and its own API on the start command, the proxy and the code of docs/login.md, with other ports. */
inChromium('docs/login.md in Chromium', () => {
  test('the keys, the console, and an API of its own work at the origin of the page', async () => {
    const api = `http://localhost:${await freePort()}`;
    const client = testedBlock('docs/login.md', 'api').replace('http://localhost:4000', api);
    const { gateway, page, origin, folder } = await startReact({
      'auth.ts': `import { createAuthClient } from '@auth-gateway/client/browser';\n${client}`,
    });
    const { email } = await gateway.user({ role: 'admin' });
    expect(await (await fetch(`${origin}/openapi.json`)).json()).toMatchObject({ servers: [{ url: origin }] });

    const ports = { 'http://localhost:5173': origin, 'http://127.0.0.1:3000': gateway.url, '4000': new URL(api).port };
    const source = await replaceIn(join(folder, 'api.js'), ports);
    expect(source).toContain(`origin', '${origin}'`);
    await startProgram(cleanUp, folder, api, 'api.js');
    await logIn(page, email, PASSWORD);
    await page.waitForSelector(`text=Logged in as ${email}`);
    const ask = (how: string) =>
      page.evaluate<string>(`import('/src/auth.ts').then(async ({ auth }) => (await ${how}('${api}')).text())`);
    const token = await page.evaluate<string>(`import('/src/auth.ts').then(({ auth }) => auth.getAccessToken())`);
    expect(await ask('auth.fetch')).toBe(`Hello ${claimsOf(token)['sub']}`);
    expect((await fetch(api)).status).toBe(401);

    const library = join(folder, 'verify.mjs');
    await cp(join(ROOT, 'examples/verify-tokens/jose.mjs'), library);
    const env = { ...process.env, ISSUER: origin, AUDIENCE: origin, TOKEN: token };
    const verify = `const { verify } = await import('${library}'); console.log((await verify(process.env.TOKEN)).iss);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', verify], { cwd: folder, env });
    expect(stdout.trim()).toBe(origin);

    const console = await page.context().newPage();
    await console.goto(`${origin}/console/`);
    await console.getByRole('heading', { name: 'Overview' }).waitFor(); // one origin, one session
    expect(await countOf(gateway, 'token_theft')).toBe(0);
  });

  test('the short page shows a wrong password, keeps the session, and logs out', async () => {
    const { gateway, page } = await startReact({ 'App.tsx': testedBlock('docs/login.md', 'app') });
    const { email } = await gateway.user();
    await logIn(page, email, WRONG);
    await page.waitForSelector('text=Invalid credentials');
    await logIn(page, email, PASSWORD);
    await page.waitForSelector(`text=Log out, ${email}`);
    await page.reload();
    await page.click(`text=Log out, ${email}`);
    await page.waitForSelector('[name=password]');
    expect(await countOf(gateway, 'logout')).toBe(1);

    const { user, secret } = await withTotp(gateway);
    await logIn(page, user.email, PASSWORD);
    await page.fill('[name=code]', wrongCode(secret, gateway.clock.now()));
    await submit(page).click();
    await page.waitForSelector('text=Invalid credentials');
    await page.fill('[name=code]', codeAt(secret, gateway.clock.now()));
    await submit(page).click();
    await page.waitForSelector(`text=Log out, ${user.email}`);
  });

  test('a guard sends to the login and back to the page, and to no other site', async () => {
    const { gateway, page, origin } = await startReact({ 'main.tsx': GUARDED });
    const { email } = await gateway.user();
    const path = '/private/page?a=1&b=2#part';
    const logInAt = async () => {
      await page.waitForURL(/\/login/);
      await logIn(page, email, PASSWORD);
      await page.waitForSelector('text=Only for users');
    };
    // The guard leaves a page as soon as it can, perhaps before all of it is loaded: the first one too.
    await page.waitForURL(/\/login/);
    const open = (to: string) => page.goto(`${origin}${to}`, { waitUntil: 'commit' });
    await open(path);
    await logInAt();
    expect(page.url()).toBe(`${origin}${path}`);
    await page.reload();
    await page.waitForSelector('text=Only for users');
    for (const to of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
      'http://',
      '',
    ]) {
      await open(`/login?to=${encodeURIComponent(to)}`);
      await logInAt();
      expect([to, new URL(page.url()).origin]).toEqual([to, origin]);
    }
    const { user } = await withTotp(gateway);
    await page.evaluate(`void import('/src/auth.ts').then(({ auth }) => auth.logout())`); // which leaves the page
    await page.waitForURL(/\/login/);
    await logIn(page, user.email, PASSWORD);
    await page.waitForFunction(
      `import('/src/auth.ts').then(({ auth }) => auth.state().status === 'second-factor')`, // which a reload would forget
    );
  });
});

/** Next.js is 380 MB, so it is installed only if somebody asks for it, as `.ci/run` does. */
const inNext = process.env['WITH_NEXT'] === '1' ? inChromium : describe.skip;
const LAYOUT = `import type { ReactNode } from 'react';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <head><link rel="icon" href="data:," /></head>
      <body>{children}</body>
    </html>
  );
}
`;

inNext('docs/login.md, Next.js, in Chromium', () => {
  test('the example and the printed configuration are built and run: log in, reload, the keys and the console', async () => {
    const port = String(await freePort());
    const origin = `http://localhost:${port}`;
    const gateway = await gatewayWith({ ...(await variablesFor('react')), PUBLIC_URL: origin });
    const folder = await mkdtemp(join(tmpdir(), 'next-'));
    cleanUp.defer(() => rm(folder, { recursive: true, maxRetries: 10 }));
    await cp(join(import.meta.dirname, 'next'), folder, { recursive: true });
    for (const [from, to] of [
      ['App.tsx', 'page.tsx'],
      ['auth.ts', 'auth.ts'],
    ] as const) {
      await cp(join(ROOT, 'examples/react/src', from), join(folder, 'app', to));
    }
    await writeFile(join(folder, 'app/layout.tsx'), LAYOUT);
    const config = testedBlock('docs/login.md', 'next').replace('http://127.0.0.1:3000', gateway.url);
    await writeFile(join(folder, 'next.config.ts'), config);
    const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } as const;
    const inFolder = { cwd: folder, env, maxBuffer: 10_000_000 };
    await run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], inFolder);
    await run('npm', ['install', '--include=dev', '--no-save', '--no-audit', `${gateway.url}/client.tgz`], inFolder);
    const next = join(folder, 'node_modules/next/dist/bin/next');
    await run(process.execPath, [next, 'build'], inFolder);
    await startProgram(cleanUp, folder, origin, next, 'start', '--port', port);

    const page = await openPage(origin);
    const said: string[] = [];
    page.on('console', (message) => said.push(`${message.text()} ${message.location().url}`));
    const { email } = await gateway.user({ role: 'admin' });
    await logIn(page, email, PASSWORD);
    await page.waitForSelector(`text=Logged in as ${email}`);
    await page.reload();
    await page.waitForSelector(`text=Logged in as ${email}`);
    expect(await (await fetch(`${origin}/.well-known/jwks.json`)).json()).toEqual({ keys: [expect.anything()] });
    await page.goto(`${origin}/console/`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${origin}/set-password`);
    await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor(); // MAIL=log
    expect(said).toEqual([]);
    expect(await countOf(gateway, 'token_theft')).toBe(0);
  }, 900_000);
});

test('examples/node: a program stays logged in between runs, in a file that only its owner can read', async () => {
  const env = await variablesFor('node');
  expect(env).toEqual({ REFRESH_RETRY: 'true', LOGIN_RATE_LIMIT: '1000' });
  const gateway = await gatewayWith(env);
  const folder = await install(cleanUp, 'node', gateway.url, ['tough-cookie']);
  const { email } = await gateway.user();
  const ask = async (variables: Record<string, string>, ...args: string[]) => {
    const env = { ...process.env, GATEWAY: gateway.url, ...variables };
    return (await run(process.execPath, ['who-am-i.js', ...args], { cwd: folder, env })).stdout.trim();
  };
  expect(await ask({ EMAIL: email, PASSWORD })).toBe(email);
  expect(await ask({})).toBe(email);
  expect((await stat(join(folder, 'session.json'))).mode & 0o777).toBe(0o600);
  expect(await ask({}, 'logout')).toBe('Logged out');
  await expect(ask({})).rejects.toMatchObject({ code: 1, stderr: 'Not logged in: set EMAIL and PASSWORD\n' });
  await expect(ask({ EMAIL: email, PASSWORD: WRONG })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Invalid credentials'),
  });
  const { user, secret } = await withTotp(gateway);
  const first = { EMAIL: user.email, PASSWORD };
  await expect(ask(first)).rejects.toMatchObject({ code: 1, stderr: 'A second factor is wanted: set CODE\n' });
  const CODE = codeAt(secret, gateway.clock.now());
  expect(await ask({ ...first, CODE })).toBe(user.email);
  expect(await countOf(gateway, 'token_theft')).toBe(0);
});
