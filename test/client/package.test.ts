/** Interface 13: the packed client in an empty project: what it holds, and each export from what its users build with. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Of `browser`, bundled and minified */
const MOST_BYTES = 3_949;

const SCHEMA = readFileSync('schema.graphql', 'utf8');
let folder: string;
let project: string;
let files: string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-client-'));
  const pack = ['pack', '--workspace', 'client', '--json', '--pack-destination', folder];
  const packed = JSON.parse(execFileSync('npm', pack, { encoding: 'utf8', stdio: 'pipe' }));
  const { filename, files: inside } = packed[0] ?? packed['@auth-gateway/client'];
  files = inside.map(({ path }: { path: string }) => path);
  project = join(folder, 'project');
  mkdirSync(project);
  save('package.json', JSON.stringify({ name: 'project', private: true, type: 'module' }));
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', join(folder, filename));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function save(name: string, text: string): void {
  writeFileSync(join(project, name), text);
}

function run(program: string, ...args: string[]): string {
  try {
    return execFileSync(program, args, { cwd: project, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
  }
}

const BROWSER = `
import { createAuthClient, AuthError } from '@auth-gateway/client/browser';
import type { AuthClient, AuthState } from '@auth-gateway/client/browser';
export const auth: AuthClient = createAuthClient({ url: 'http://localhost:3000' });
export const state: AuthState = auth.state();
export const answer: Promise<Response> = auth.fetch('/graphql', { method: 'POST' });
auth.on('signed-out', ({ reason, detail }) => console.log(reason, detail));
auth.login({ email: 'a@example.com', password: 'x' }).catch((error: unknown) => {
  if (error instanceof AuthError) console.log(error.status, error.detail, error.retryAfterSeconds);
});
`;
const SIGN = `
import { signRequest, signedFetch } from '@auth-gateway/client/sign';
export const signed: typeof fetch = signedFetch({ keyId: 'ak', secret: 'aks' });
export const headers: Record<string, string> = signRequest({ method: 'GET', url: 'http://a', keyId: 'ak', secret: 'aks' });
`;

test('it holds what is needed, depends on nothing, and is installed under its name', () => {
  const { dependencies, peerDependencies, sideEffects, type, license } = JSON.parse(
    readFileSync(join(project, 'node_modules/@auth-gateway/client/package.json'), 'utf8'),
  );
  expect({ dependencies, peerDependencies, sideEffects, type, license }).toEqual({
    ...{ dependencies: undefined, peerDependencies: undefined, sideEffects: false, type: 'module', license: 'MIT' },
  });
  expect(files).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'dist/browser.js',
      'dist/browser.d.ts',
      'dist/sign.js',
      'dist/schema.graphql',
    ]),
  );
  expect(
    files.filter(
      (path) => !/^(LICENSE|README\.md|package\.json|dist\/[\w-]+\.(js|d\.ts|graphql)|src\/[\w-]+\.ts)$/.test(path),
    ),
  ).toEqual([]);
  const sources = files.filter((path) => path.startsWith('src/')).map((path) => path.slice(4, -3));
  const compiled = files.filter((path) => /^dist\/.*(?<!\.d)\.js$/.test(path)).map((path) => path.slice(5, -3));
  expect(compiled).toEqual(sources); // nothing is left of what a file was called before
});

test('Node takes each export', () => {
  save(
    'use.js',
    `import { readFileSync } from 'node:fs';
     import { fileURLToPath } from 'node:url';
     import { createAuthClient, AuthError } from '@auth-gateway/client/browser';
     import { signRequest } from '@auth-gateway/client/sign';
     const client = createAuthClient({ url: 'http://localhost:3000' });
     const headers = signRequest({ method: 'GET', url: 'http://a', keyId: 'ak', secret: 'aks' });
     const schema = readFileSync(fileURLToPath(import.meta.resolve('@auth-gateway/client/schema.graphql')), 'utf8');
     const inside = await import('@auth-gateway/client/dist/client.js').catch(({ code }) => code);
     const { status } = client.state();
     console.log(JSON.stringify({ status, isError: new AuthError(0) instanceof Error, headers: Object.keys(headers), schema, inside }));`,
  );
  expect(JSON.parse(run(process.execPath, 'use.js'))).toEqual({
    status: 'loading',
    isError: true,
    headers: ['signature-input', 'signature'],
    schema: SCHEMA,
    inside: 'ERR_PACKAGE_PATH_NOT_EXPORTED',
  });
});

test.each([
  ['esnext', 'bundler', ['es2022', 'dom'], []],
  ['nodenext', 'nodenext', ['es2022', 'dom'], []],
  ['nodenext', 'nodenext', ['es2022'], ['node']],
])('TypeScript takes each export as %s, resolved as %s, with %p', (module, moduleResolution, lib, types) => {
  save('browser.ts', BROWSER);
  save('sign.ts', SIGN);
  const options = { module, moduleResolution, lib, types, target: 'es2022', strict: true, noEmit: true };
  save(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        ...options,
        ...{ exactOptionalPropertyTypes: true, verbatimModuleSyntax: true, skipLibCheck: types.length > 0 },
        typeRoots: [resolve('node_modules/@types')],
      },
      files: ['browser.ts', 'sign.ts'],
    }),
  );
  expect(run(resolve('node_modules/.bin/tsc'), '-p', '.')).toBe('');
  save('sign.ts', SIGN.replace("keyId: 'ak', secret: 'aks' });", 'keyId: 1 });'));
  expect(() => run(resolve('node_modules/.bin/tsc'), '-p', '.')).toThrow(
    "Type 'number' is not assignable to type 'string'",
  );
});

async function bundle(contents: string, platform: 'browser' | 'node'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project, loader: 'ts' },
    ...{ platform, bundle: true, minify: true, format: 'esm', write: false, logLevel: 'silent' },
  });
  return outputFiles[0]?.text ?? '';
}

test('esbuild bundles it for browsers, in at most 3,949 bytes, and leaves out what is not used', async () => {
  const bundled = await bundle(`export { createAuthClient, AuthError } from '@auth-gateway/client/browser'`, 'browser');
  expect(bundled).toContain('refresh-retry');
  expect(gzipSync(bundled).length).toBeLessThanOrEqual(MOST_BYTES);
  expect(await bundle(`import '@auth-gateway/client/browser'; import '@auth-gateway/client/sign'`, 'node')).toBe('');
  expect(await bundle(SIGN, 'node')).toContain('content-digest');
});

/** Of whoever has installed it: the tests in browsers need it, this one takes it along. */
const VITE = resolve('node_modules/.bin/vite');
(existsSync(VITE) ? test : test.skip)('Vite bundles it', () => {
  save('main.ts', BROWSER);
  save('index.html', '<script type="module" src="/main.ts"></script>');
  run(VITE, 'build', '--logLevel', 'error');
  const [name = ''] = readdirSync(join(project, 'dist/assets'));
  expect(readFileSync(join(project, 'dist/assets', name), 'utf8')).toContain('refresh-retry');
});
