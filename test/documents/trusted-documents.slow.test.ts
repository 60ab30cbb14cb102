/** examples/trusted-documents: each real tool writes its file, and its real client asks by id alone. (Interface 24) */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { packagesFolder } from '../support/programs/packages.js';

const EXAMPLE = 'examples/trusted-documents';
const run = promisify(execFile);

let gateway: TestGateway;
let folder: string;
let installed: string;
/** In front of the gateway: it notes what is sent. */
let relay: Server;
let to: string;
let sent: Array<Record<string, unknown>> = [];
let token: string;

beforeAll(async () => {
  gateway = await startGateway();
  installed = await packagesFolder(EXAMPLE);
  folder = await mkdtemp(join(installed, 'run-'));
  await mkdir(join(folder, 'examples'));
  await cp(EXAMPLE, join(folder, EXAMPLE), { recursive: true, filter: (path) => !path.includes('node_modules') });
  await cp('schema.graphql', join(folder, 'schema.graphql'));
  relay = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    sent.push(JSON.parse(body));
    const { authorization = '' } = req.headers;
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(`${to}/graphql`, { method: 'POST', headers, body });
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  ({ accessToken: token } = await newcomer(gateway, 'analyst'));
  const { id } = await gateway.user();
  await gateway.rows("update users set locked_until = '2100-01-01' where id = $1", [id]);
});
afterAll(async () => {
  relay.close();
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  sent = [];
});

const inExample = (name: string) => join(folder, EXAMPLE, name);

/** Runs a program of the example, and one of its packages if it is given by the name of its command. */
async function runIn(program: string, ...args: string[]): Promise<string> {
  const path = program.endsWith('.js') ? inExample(program) : join(installed, 'node_modules/.bin', program);
  const env = { PATH: process.env['PATH'], TOKEN: token, NO_COLOR: '1' };
  const { stdout } = await run(process.execPath, [path, ...args], { cwd: join(folder, EXAMPLE), env, timeout: 60_000 });
  return stdout;
}

interface Tool {
  command: [program: string, ...args: string[]];
  file: string;
  program: string;
  /** What the client sends next to the id */
  id: (body: Record<string, unknown>) => unknown;
}

const TOOLS: Record<string, Tool> = {
  'GraphQL Code Generator and urql': {
    command: ['graphql-codegen', '--config', 'codegen.json'],
    file: 'generated/persisted-documents.json',
    program: 'ask-urql.js',
    id: ({ documentId }) => documentId,
  },
  "Apollo's manifest and Apollo Client": {
    command: ['generate-persisted-query-manifest'],
    file: 'apollo-manifest.json',
    program: 'ask-apollo.js',
    id: ({ extensions }) => (extensions as { persistedQuery: { sha256Hash: unknown } }).persistedQuery.sha256Hash,
  },
  'relay-compiler and a network of Relay': {
    command: ['relay-compiler', 'relay.config.json'],
    file: 'relay-documents.json',
    program: 'ask-relay.js',
    id: ({ documentId }) => documentId,
  },
};

test.each(Object.entries(TOOLS))('Interface 24: %s', async (_name, { command, file, program, id }) => {
  if (file === 'relay-documents.json') await writeFile(inExample(file), '{}'); // relay-compiler adds to the file
  await runIn(...command);
  const { port } = relay.address() as AddressInfo;
  const source = await readFile(inExample(program), 'utf8');
  expect(source).toContain('http://localhost:3000/graphql');
  await writeFile(inExample(program), source.replace('http://localhost:3000', `http://127.0.0.1:${port}`));
  const env = { TRUSTED_DOCUMENTS: inExample(file), TRUSTED_DOCUMENTS_ONLY: 'all' };
  const instance = await startInstance(gateway.database, { env, clock: gateway.clock });
  to = instance.url;
  expect(await runIn(program)).toBe('1 locked users\n');
  expect(sent).toHaveLength(1);
  expect(sent[0]?.['query']).toBeUndefined();
  expect(id(sent[0] ?? {})).toMatch(/^(sha256:)?[\da-f]{64}$/);
  await instance.close();
});

test('Interface 24: files by MD5, as Relay writes by default, and by SHA-1 are refused, with what to change', async () => {
  const codegen = JSON.parse(await readFile(`${EXAMPLE}/codegen.json`, 'utf8'));
  codegen.generates['./generated/'].presetConfig.persistedDocuments.hashAlgorithm = 'sha1';
  const relayConfig = JSON.parse(await readFile(`${EXAMPLE}/relay.config.json`, 'utf8'));
  delete relayConfig.persistConfig.algorithm; // MD5
  await writeFile(inExample('other-codegen.json'), JSON.stringify(codegen));
  await writeFile(inExample('other-relay.json'), JSON.stringify(relayConfig));
  await writeFile(inExample('relay-documents.json'), '{}');
  await rm(inExample('__generated__'), { recursive: true, force: true }); // else relay-compiler keeps the ids in it
  await runIn('graphql-codegen', '--config', 'other-codegen.json');
  await runIn('relay-compiler', 'other-relay.json');
  for (const [file, advice] of [
    ['generated/persisted-documents.json', /hashAlgorithm: 'sha256'/],
    ['relay-documents.json', /"SHA256" for Relay/],
  ] as const) {
    const started = startInstance(gateway.database, { env: { TRUSTED_DOCUMENTS: inExample(file) } });
    await expect(started).rejects.toThrow(advice);
  }
});

test('Interface 24: without TRUSTED_DOCUMENTS a client of automatic persisted queries falls back to the text, as ever', async () => {
  to = gateway.url;
  const source = await readFile(inExample('ask-apollo.js'), 'utf8');
  const [byManifest, automatic] = [/generatePersistedQueryIdsFromManifest\(.*\)\)/, '{ sha256: hashOf })'];
  const hashOf =
    "const hashOf = async (text) => (await import('node:crypto')).createHash('sha256').update(text).digest('hex');";
  await writeFile(
    inExample('automatic.js'),
    `${source.replace(byManifest, automatic)}\n`.replace('const manifest', `${hashOf}\nconst manifest`),
  );
  expect(await runIn('automatic.js')).toBe('1 locked users\n');
  expect(sent.map(({ query }) => typeof query)).toEqual(['undefined', 'string']);
});
