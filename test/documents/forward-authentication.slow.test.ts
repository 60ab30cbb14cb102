/** docs/forward-authentication.md, docs/websites.md and an introspection, as printed, with a real nginx and Chromium. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { CHROMIUM, launchHeadlessShell } from '../browser/chromium.js';
import { freePort } from '../support/programs/redis.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';
import { isPrinted, testedBlock } from './printed.js';
import { createReader, type Reader } from './reader.js';

const FOLDER = 'examples/forward-auth';
const PAGE = 'docs/forward-authentication.md';
const WEBSITES = 'docs/websites.md';

/** Of the folder, what its program needs; nginx gets the ports of this reader. */
const FILES = ['service.ts', 'verify-assertion.ts', 'verify-body.ts', 'package.json', 'nginx.conf'];

test('docs/forward-authentication.md: what npm installs for the service is at no address of a gateway', () => {
  const { dependencies } = JSON.parse(readFileSync(`${FOLDER}/package.json`, 'utf8'));
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(dependencies.jose).toBe(JSON.parse(readFileSync('package.json', 'utf8')).dependencies.jose); // which is tested
});

testWith(
  ['nginx', 'curl', 'bash'],
  'docs/forward-authentication.md and docs/websites.md: each command succeeds, and prints what is said',
  async () => {
    const [at, behind] = [await freePort(), await freePort()];
    await using reader = await createReader({ '8080': String(at), '8081': String(behind) });

    const prepare = reader.shell();
    await prepare.type(`mkdir -p ${FOLDER}`);
    for (const name of FILES) {
      await prepare.type(
        `cat > ${FOLDER}/${name} <<'END OF FILE'\n${readFileSync(`${FOLDER}/${name}`, 'utf8')}END OF FILE`,
      );
    }
    await prepare.type(`ln -s ${resolve('node_modules')} ${FOLDER}/node_modules`); // in the place of npm install

    await reader.shell().type(testedBlock(PAGE, 'gateway'), '"msg":"ready"}');
    const answers = (port: number) => () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      );
    for (const [program, port] of [
      ['service', behind],
      ['nginx', at],
    ] as const) {
      await reader.shell().type(testedBlock(PAGE, program), '');
      await until(`port ${port} is open`, answers(port));
    }

    const shell = reader.shell();
    for (const [page, name] of [
      [PAGE, 'as-a-user'],
      [PAGE, 'by-keys'],
      [PAGE, 'as-nginx'],
      [WEBSITES, 'as-a-browser'],
      ['docs/verify-access-tokens.md', 'introspect'],
    ] as const) {
      let printed = '';
      for (const command of testedBlock(page, name).split(/(?<!\\)\n/)) printed += await shell.type(command);
      const said = reader.fillIn(testedBlock(page, `${name}-prints`));
      expect(isPrinted(printed, said) ? said : printed).toBe(said);
    }
    if (CHROMIUM !== undefined || process.env['REQUIRE_PROGRAMS'] === '1') await openWebsite(reader);
  },
);

/** The three steps of docs/websites.md in a browser, and the form for logging out. */
async function openWebsite({ fillIn }: Reader): Promise<void> {
  const browser = await launchHeadlessShell();
  try {
    const profile = await browser.newContext();
    const open = async (address: string): Promise<Page> => {
      const tab = await profile.newPage();
      await tab.goto(fillIn(address));
      return tab;
    };
    const isAtLogin = (tab: Page) => tab.getByText(fillIn('To reach localhost:8080.')).waitFor();
    const isIn = (tab: Page) => tab.getByText('Hello user').waitFor();

    const website = await open('http://localhost:8080/hello');
    const logIn = async () => {
      await isAtLogin(website);
      await website.getByLabel('E-mail').fill('admin@example.com');
      await website.getByLabel('Password', { exact: true }).fill(fillIn('PASSWORD'));
      await website.getByRole('button', { name: 'Log in', exact: true }).click();
      await isIn(website);
    };
    await logIn();
    expect(website.url()).toBe(fillIn('http://localhost:8080/hello'));
    await website.reload();
    await isIn(website);
    const another = await open('http://localhost:8080/hello');
    await isIn(another);

    const gateway = await open('http://localhost:3000/console/');
    await gateway.getByRole('button', { name: 'Log out' }).click();
    await gateway.getByLabel('E-mail').waitFor();
    await website.addScriptTag({ type: 'module', content: testedBlock(WEBSITES, 'script') });
    await logIn();

    await another.setContent(testedBlock(WEBSITES, 'logout'));
    await another.getByRole('button', { name: 'Log out' }).click();
    await isAtLogin(another);
    await website.reload();
    await isAtLogin(website);
  } finally {
    await browser.close();
  }
}
