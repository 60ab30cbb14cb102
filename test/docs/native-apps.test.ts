/** docs/native-apps.md: its commands run in their order against a gateway, and print what the page says. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isPrinted, testedBlock } from '../documents/printed.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { testWith } from '../support/programs/with-programs.js';

const PAGE = 'docs/native-apps.md';

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway({ env: { PUBLIC_URL: 'http://localhost:3000', REFRESH_RETRY: 'true' } });
  folder = await mkdtemp(join(tmpdir(), 'native-apps-'));
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

testWith(['bash', 'curl', 'openssl'], `${PAGE}: each step prints what the page says`, async () => {
  const { email } = await gateway.user();
  const filledIn = { 'http://localhost:3000': gateway.url, 'admin@example.com': email, '"PASSWORD"': `"${PASSWORD}"` };
  const runs = async (name: string): Promise<void> => {
    const printed = testedBlock(PAGE, name);
    const command = Object.entries(filledIn).reduce((text, [from, to]) => text.replaceAll(from, to), printed);
    const { stdout } = await promisify(execFile)('bash', ['-ec', command], { cwd: folder });
    const said = testedBlock(PAGE, `${name}-prints`);
    expect(isPrinted(stdout, said) ? said : stdout).toBe(said);
  };
  const thefts = () => gateway.rows("select from audit_events where event_type = 'token_theft'");
  for (const name of ['login', 'refresh', 'lost-answer']) await runs(name);
  expect(await thefts()).toEqual([]);
  await runs('theft');
  expect(await thefts()).not.toEqual([]);
  await runs('login');
  await runs('logout');
  expect(await gateway.rows('select from refresh_tokens where not revoked')).toEqual([]);
});
