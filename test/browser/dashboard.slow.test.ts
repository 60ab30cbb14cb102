/** examples/dashboard: installed, generated and started as its readers do, in Chromium. (Interface 24) */
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as operations from '@graphql-codegen/typescript-operations';
import { parse } from 'graphql';
import type { Browser, BrowserContext, Page, Request, Route } from 'playwright-core';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { packagesFolder } from '../support/programs/packages.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';
import { LOOKS, violationsOf } from './axe.js';
import { launchHeadlessShell } from './chromium.js';
import { faultsIn, TARGET } from './fits.js';
import { install, ROOT, replaceIn, startProgram, variablesFor } from './installed.js';
import { inChromium } from './site.js';

const run = promisify(execFile);
const EXAMPLE = join(ROOT, 'examples/dashboard');
const PLUGINS = { 'typescript-operations': operations, 'typed-document-node': typedDocumentNode };
/** Events come at once; otherwise ten seconds later. */
const LIVE = { pollMs: 100, settledSeconds: 0 };
/** Those of test/packages; React is next to them, because they would load another. */
const PACKAGES = [
  '@apollo',
  '@graphql-typed-document-node',
  '@tanstack',
  'graphql',
  'graphql-sse',
  'react',
  'react-dom',
  'rxjs',
  'vite',
];

test('examples/dashboard: its packages are of the versions that are tested', async () => {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(EXAMPLE, 'package.json'), 'utf8'));
  const locks = await Promise.all(
    ['package-lock.json', 'test/packages/package-lock.json'].map((path) => readFile(path)),
  );
  const [ours, large] = locks.map((lock) => JSON.parse(lock.toString()).packages);
  const untested = [];
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    const tested = [large, ours].map((packages) => packages[`node_modules/${name}`]?.version).find(Boolean);
    if (tested === undefined) untested.push(name);
    else expect([name, version]).toEqual([name, tested]);
  }
  expect(untested).toEqual(['@auth-gateway/client', '@graphql-codegen/cli']);
});

inChromium('examples/dashboard in Chromium', () => {
  const cleanUp = new AsyncDisposableStack();
  let gateway: TestGateway;
  let browser: Browser;
  let origin: string;
  beforeAll(async () => {
    const port = String(await freePort());
    origin = `http://localhost:${port}`;
    const env = await variablesFor('dashboard');
    expect(env['PUBLIC_URL']).toBe('http://localhost:5173');
    gateway = await startGateway({ clock: runningClock(), live: LIVE, env: { ...env, PUBLIC_URL: origin } });
    cleanUp.defer(gateway.close);
    const folder = await install(cleanUp, 'dashboard', gateway.url, ['@types', 'typescript']);
    const packages = join(await packagesFolder(), 'node_modules');
    for (const name of PACKAGES) await symlink(join(packages, name), join(folder, 'node_modules', name));
    await generate(folder);
    await replaceIn(join(folder, 'vite.config.ts'), { '5173': port, 'http://127.0.0.1:3000': gateway.url });
    const types = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder }).catch((error) => error);
    expect(types.stdout).toBe('');
    await startProgram(cleanUp, folder, origin, join(packages, 'vite/bin/vite.js'));
    browser = await launchHeadlessShell();
    cleanUp.defer(() => browser.close());
  });
  afterAll(() => cleanUp.disposeAsync());

  async function newProfile(): Promise<BrowserContext> {
    const profile = await browser.newContext();
    profile.setDefaultTimeout(120_000);
    return profile;
  }

  /** A page on which somebody of this role is logged in */
  async function openSignedIn(role: 'admin' | 'viewer' = 'admin', profile?: BrowserContext): Promise<Page> {
    const { email } = await gateway.user({ role });
    const page = await (profile ?? (await newProfile())).newPage();
    await page.goto(origin);
    await page.fill('[name=email]', email);
    await page.fill('[name=password]', PASSWORD);
    await page.click('button[type=submit]');
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    return page;
  }

  test('Interface 24: a list is searched, filtered, sorted by its heads, and goes on', async () => {
    await gateway.user({ role: 'admin' }); // who has never logged in
    const page = await openSignedIn();
    const emails = Array.from({ length: 45 }, (_, i) => `person-${String(i).padStart(2, '0')}@list.example`);
    for (const email of emails) await gateway.user({ email, role: 'viewer' });
    await gateway.rows(`update users set locked_until = '2100-01-01' where email = $1`, [emails[7]]);
    const shown = (status: string) => page.getByText(status, { exact: true }).waitFor();
    const column = (n: number) => page.locator(`tbody td:nth-child(${n})`).allInnerTexts();

    await page.getByLabel('E-mail has').fill('@LIST.example');
    await shown('20 of 45');
    expect(await column(1)).toEqual(emails.slice(0, 20));
    for (const rows of [40, 45]) {
      await page.click('text=Load more');
      await shown(`${rows} of 45`);
      expect(await column(1)).toEqual(emails.slice(0, rows));
    }
    expect(await page.getByText('Load more').count()).toBe(0);

    const head = page.getByRole('columnheader', { name: 'E-mail' });
    await head.getByRole('button').click();
    await shown('20 of 45');
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    expect(await column(1)).toEqual(emails.toReversed().slice(0, 20));
    await page.click('text=Load more');
    await shown('40 of 45');
    expect(await column(1)).toEqual(emails.toReversed().slice(0, 40));
    await head.getByRole('button').click(); // back: the pages that were loaded are still there
    await shown('45 of 45');

    await page.getByLabel('State').selectOption('locked');
    await shown('1 of 1');
    expect([await column(1), await column(3)]).toEqual([[emails[7]], ['locked']]);
    await page.getByLabel('Role').selectOption('admin');
    await shown('0 of 0');
    await page.getByLabel('State').selectOption('all states');
    await page.getByLabel('E-mail has').fill('');
    await page.locator('tbody tr').first().waitFor();
    expect(new Set(await column(2))).toEqual(new Set(['admin']));

    for (const [name, field] of Object.entries({ Created: 'created_at', 'Last login': 'last_login_at' })) {
      for (const direction of ['asc', 'desc']) {
        await page.getByRole('button', { name, exact: true }).click();
        const order = `order by ${field} ${direction} nulls last`;
        const users = await gateway.rows<{ email: string }>(`select email from users where role = 'admin' ${order}`);
        const sorted = String(users.map(({ email }) => email));
        await until(order, async () => String(await column(1)) === sorted);
      }
    }
  });

  /** The streams that pages of this profile have open, and the headers of the last one */
  function watchStreams(profile: BrowserContext) {
    const open = new Set<Request>();
    const seen = { open, last: {} as Record<string, string> };
    profile.on('request', (request) => {
      if (request.headers()['accept'] !== 'text/event-stream') return;
      open.add(request);
      seen.last = request.headers();
    });
    const end = (request: Request) => open.delete(request);
    profile.on('requestfinished', end);
    profile.on('requestfailed', end);
    return seen;
  }

  test('Interface 24: an event appears in two tabs, which share one stream; another goes on when its tab is closed', async () => {
    const profile = await newProfile();
    const streams = watchStreams(profile);
    const first = await openSignedIn('admin', profile);
    await first.getByText('Live', { exact: true }).waitFor();
    const second = await profile.newPage();
    await second.goto(origin);
    await second.getByText('Live', { exact: true }).waitFor();
    const failLogin = async (pages: Page[]) => {
      const { email } = await gateway.user();
      await gateway.send('POST', '/auth/login', { body: { email, password: 'wrong horse battery staple' } });
      for (const page of pages) await page.getByRole('log').getByText(`login_failure ${email}`).waitFor();
    };
    await failLogin([first, second]);
    expect([streams.open.size, streams.last['last-event-id']]).toEqual([1, undefined]);
    await first.close();
    await failLogin([second]);
    expect(streams.last['last-event-id']).toEqual(expect.any(String));
  });

  test('Interface 24: without a stream the log is asked for now and then', async () => {
    const page = await openSignedIn();
    const isStream = (route: Route) => route.request().headers()['accept'] === 'text/event-stream';
    await page.context().route('**/graphql', (route) => (isStream(route) ? route.abort() : route.continue()));
    await page.clock.install();
    await page.reload();
    await page.getByText('Not live').waitFor();
    const { email } = await gateway.user();
    await gateway.send('POST', '/auth/login', { body: { email, password: PASSWORD } });
    await page.clock.fastForward('00:16');
    await page.getByRole('log').getByText(`login_success ${email}`).waitFor();
  });

  test('Interface 24: what goes wrong is said in words, and tried again', async () => {
    const stranger = await openSignedIn('viewer');
    for (const scope of ['users:read', 'audit:read']) {
      await stranger.getByText(`You may not see this: it needs the scope ${scope}.`).waitFor();
    }
    for (let i = 0; i < 20; i++) await gateway.user();
    const page = await openSignedIn();
    const users = page.getByRole('region', { name: 'Users' }); // the audit log says the same next to it
    const refusal = (code: string) => ({ errors: [{ message: 'No', extensions: { code } }] });
    let answerOf = (route: Route) => route.continue();
    await page.route('**/graphql', (route) => answerOf(route));
    const failures: Array<[says: string, answer: (route: Route) => Promise<void>]> = [
      ['Too many requests at once.', (route) => route.fulfill({ status: 429, json: refusal('RATE_LIMITED') })],
      ['cannot answer at present.', (route) => route.fulfill({ status: 503, json: refusal('SERVICE_UNAVAILABLE') })],
      ['does not answer', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' })],
      ['does not answer', (route) => route.abort()],
      ['No.', (route) => route.fulfill({ json: refusal('BAD_USER_INPUT') })],
    ];
    const more = users.getByRole('button', { name: 'Load more' });
    await more.waitFor();
    answerOf = (route) => route.abort();
    await more.click();
    await users.getByText('does not answer').waitFor();
    answerOf = (route) => route.continue();
    await more.click();
    await users.getByText('does not answer').waitFor({ state: 'detached' });

    for (const [i, [says, answer]] of failures.entries()) {
      answerOf = answer;
      await users.getByLabel('E-mail has').fill(`failure-${i}`);
      await users.getByText(says).waitFor();
      expect(await users.getByRole('button', { name: 'Load more', disabled: false }).count()).toBe(0); // of other rows
      expect(await users.locator('tbody tr').count()).toBe(0); // nothing stands under a head that is not its own
      answerOf = (route) => route.continue();
      await users.getByRole('button', { name: 'Try again' }).click();
      await users.getByText('0 of 0').waitFor();
      await users.getByText(says).waitFor({ state: 'detached' });
    }
  });

  test('axe finds nothing, and a phone scrolls nothing aside', async () => {
    const page = await openSignedIn();
    await page.locator('tbody tr').first().waitFor();
    for (const [colorScheme, width] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await violationsOf(page)).toEqual([]);
      const faults = await faultsIn(page, TARGET);
      expect(faults.filter((fault) => !fault.includes('class="scrolls"'))).toEqual([]);
    }
  });
});

/** What `npx graphql-codegen` does, whose command line is not installed here */
async function generate(folder: string): Promise<void> {
  const { schema, documents, generates } = JSON.parse(await readFile(join(folder, 'codegen.json'), 'utf8'));
  const read = async (path: string) => parse(await readFile(join(folder, path), 'utf8'));
  for (const [filename, { plugins, config }] of Object.entries<{ plugins: string[]; config: object }>(generates)) {
    const generated = await codegen({
      schema: await read(schema),
      documents: [{ location: documents, document: await read(documents) }],
      ...{ filename, config, pluginMap: PLUGINS, plugins: plugins.map((plugin) => ({ [plugin]: {} })) },
    });
    await writeFile(join(folder, filename), generated);
  }
}
