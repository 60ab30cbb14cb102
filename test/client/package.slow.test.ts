/** The packed client in an empty project: its files, and each export from what its users build with. (Interface 13) */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { testedBlock } from '../documents/printed.js';
import { packagesFolder } from '../support/programs/packages.js';
import { installClient, type Project } from './packed.js';

/** Of `browser`, bundled and minified */
const MOST_BYTES = 5_485;

const SCHEMA = readFileSync('schema.graphql', 'utf8');
let project: Project;
beforeAll(() => {
  project = installClient();
});
afterAll(() => project[Symbol.dispose]());

const inside = (path: string): string => readFileSync(join(project.folder, path), 'utf8');

const BROWSER = `
import { createAuthClient, AuthError } from '@auth-gateway/client/browser';
import type { AuthClient, AuthErrorKind, AuthState } from '@auth-gateway/client/browser';
export const auth: AuthClient = createAuthClient({ url: 'http://localhost:3000' });
export const state: AuthState = auth.state();
export const sub: string = state.status === 'signed-in' ? state.user.sub : '';
// @ts-expect-error nobody is known to be signed in
export const unknown: string = state.user.sub;
export const action: (form: FormData) => void | Promise<void> = auth.login; // as React types the action of a form
export const answer: Promise<Response> = auth.fetch('/graphql', { method: 'POST' });
export const sent: Promise<void> = auth.forgotPassword('a@example.com');
auth.on('signed-out', ({ reason, detail }) => console.log(reason, detail));
auth.login({ email: 'a@example.com', password: 'x' }).catch((error: unknown) => {
  if (!(error instanceof AuthError)) throw error;
  const kind: AuthErrorKind = error.kind;
  console.log(kind, error.status, error.detail, error.retryAfterSeconds, error.reason, error.errors?.[0]?.field);
});
`;
const FACTORS = `
import { AuthError, type AuthClient, type Confirmation, type Factor, type SecondFactor, type User } from '@auth-gateway/client/browser';
import * as factors from '@auth-gateway/client/factors';
import * as passkeys from '@auth-gateway/client/passkeys';
export async function logIn(auth: AuthClient, proof: SecondFactor): Promise<User> {
  const user: User | undefined = await auth.login({ email: 'a@example.com', password: 'x' });
  return user ?? auth.secondFactor(proof);
}
export const code = (auth: AuthClient): Promise<User> => logIn(auth, { code: '123456' });
export const recoveryCode = (auth: AuthClient): Promise<User> => auth.secondFactor({ recoveryCode: 'x' });
// @ts-expect-error a password is no second factor
export const wrong: SecondFactor = { password: 'x' };
export const password: Confirmation = { password: 'x' };
export function wanted(auth: AuthClient): readonly Factor[] {
  const state = auth.state();
  return state.status === 'second-factor' && state.expiresAt > Date.now() ? state.factors : [];
}
export async function add(auth: AuthClient): Promise<readonly string[]> {
  const { id, secret, uri } = await factors.enrolTotp(auth);
  const { recoveryCodes } = await factors.activateTotp(auth, id, secret + uri);
  await factors.remove(auth, id);
  return recoveryCodes;
}
export const offer = (auth: AuthClient, signal: AbortSignal): Promise<User> =>
  passkeys.logInWithPasskey(auth, { signal, autofill: true });
export const needsFactor = (error: AuthError): boolean | undefined => error.needsFactor;
`;
const ACCOUNT = `
import type { AuthClient, Me } from '@auth-gateway/client/browser';
import * as account from '@auth-gateway/client/account';
import type { Device, OwnSession } from '@auth-gateway/client/account';
export const me = (auth: AuthClient): Promise<Me> => auth.me();
export async function endAll(auth: AuthClient): Promise<number> {
  const others: OwnSession[] = (await account.sessions(auth)).filter(({ isCurrent }) => !isCurrent);
  for (const { id } of others) await account.endSession(auth, id);
  const known: Device[] = await account.devices(auth);
  for (const { id } of known) await account.forgetDevice(auth, id);
  return (await account.endOtherSessions(auth)).sessionsEnded;
}
export async function change(auth: AuthClient, token: string): Promise<string> {
  await account.changeEmail(auth, { email: 'a@example.com' });
  await account.undoEmail(auth, { token });
  return (await account.redeemEmail(auth, { token })).email;
}
export async function leave(auth: AuthClient): Promise<Blob> {
  const data = await account.exportData(auth);
  await account.deleteAccount(auth);
  return data;
}
`;
const REACT = `
import type { AuthClient, AuthState } from '@auth-gateway/client/browser';
import { useAuth, useMe } from '@auth-gateway/client/react';
export const useState = (auth: AuthClient): AuthState => useAuth(auth);
export const useEmail = (auth: AuthClient): string | undefined => useMe(auth)?.email;
`;
const SIGN = `
import { signRequest, signedFetch } from '@auth-gateway/client/sign';
export const signed: typeof fetch = signedFetch({ keyId: 'ak_', secret: 'aks_' });
export const headers: Record<string, string> = signRequest({ method: 'GET', url: 'http://a', keyId: 'ak_', secret: 'aks_' });
`;
const SERVER = `
import type { IncomingMessage } from 'node:http';
import { whoIsCalling } from '@auth-gateway/client/server';
import type { Answer, Caller, NodeRequest, Question } from '@auth-gateway/client/server';
const question: Question = { url: 'http://a', origin: 'http://b', rule: 'caller=user' };
export const serviceName = ({ caller }: { caller: Caller }): string => (caller.callerType === 'user' ? caller.role : caller.serviceName);
export async function nameOf(request: IncomingMessage | Request): Promise<string> {
  const answer: Answer = await whoIsCalling(request, question);
  if (answer.kind === 'refused') return answer.headers['retry-after'] ?? answer.json;
  return answer.kind === 'preflight' ? '' : serviceName(answer);
}
export const express: NodeRequest['originalUrl'] = '/';
// @ts-expect-error the origin is needed
export const incomplete: Question = { url: 'http://a', rule: 'caller=user' };
`;

test("what uses React's state says so in its first line, as Next.js wants it, and so do the examples", () => {
  const files = ['react/src/App.tsx', 'react/src/RequireLogin.tsx', 'server-side/app.tsx'];
  for (const text of [
    inside('node_modules/@auth-gateway/client/dist/react.js'),
    ...files.map((name) => readFileSync(`examples/${name}`, 'utf8')),
    testedBlock('docs/login.md', 'app'),
  ]) {
    expect(text.split('\n')[0]).toBe("'use client';");
  }
});

test('it holds what is needed, depends on nothing, and is installed under its name', () => {
  const { files } = project;
  const { dependencies, peerDependenciesMeta, sideEffects, type, license } = JSON.parse(
    inside('node_modules/@auth-gateway/client/package.json'),
  );
  expect({ dependencies, peerDependenciesMeta, sideEffects, type, license }).toEqual({
    dependencies: undefined,
    peerDependenciesMeta: { react: { optional: true } },
    ...{ sideEffects: false, type: 'module', license: 'MIT' },
  });
  expect(existsSync(join(project.folder, 'node_modules/react'))).toBe(false);
  expect(files).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'dist/account.js',
      'dist/account.d.ts',
      'dist/browser.js',
      'dist/browser.d.ts',
      'dist/factors.js',
      'dist/factors.d.ts',
      'dist/passkeys.js',
      'dist/passkeys.d.ts',
      'dist/react.js',
      'dist/react.d.ts',
      'dist/server.js',
      'dist/server.d.ts',
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
  project.save(
    'use.js',
    `import { readFileSync } from 'node:fs';
     import { fileURLToPath } from 'node:url';
     import { createAuthClient, AuthError } from '@auth-gateway/client/browser';
     import { deleteAccount } from '@auth-gateway/client/account';
     import { enrolTotp } from '@auth-gateway/client/factors';
     import { isAutofillAvailable, logInWithPasskey } from '@auth-gateway/client/passkeys';
     import { whoIsCalling } from '@auth-gateway/client/server';
     import { signRequest } from '@auth-gateway/client/sign';
     const client = createAuthClient({ url: 'http://localhost:3000' });
     const headers = signRequest({ method: 'GET', url: 'http://a', keyId: 'ak_', secret: 'aks_' });
     const schema = readFileSync(fileURLToPath(import.meta.resolve('@auth-gateway/client/schema.graphql')), 'utf8');
     const inside = await import('@auth-gateway/client/dist/client.js').catch(({ code }) => code);
     const { status } = client.state();
     const asked = await whoIsCalling(new Request('http://a'), {}).catch(({ message }) => message);
     const ofBrowsers = [typeof deleteAccount, typeof enrolTotp, typeof logInWithPasskey, await isAutofillAvailable()];
     console.log(JSON.stringify({ status, asked, ofBrowsers, isError: new AuthError('late') instanceof Error, headers: Object.keys(headers), schema, inside }));`,
  );
  expect(JSON.parse(project.run(process.execPath, 'use.js'))).toEqual({
    status: 'loading',
    ofBrowsers: ['function', 'function', 'function', false],
    asked: expect.stringContaining('url must begin with http'),
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
  project.save('account.ts', ACCOUNT);
  project.save('browser.ts', BROWSER);
  project.save('react.ts', REACT);
  project.save('sign.ts', SIGN);
  project.save('server.ts', SERVER);
  project.save('factors.ts', FACTORS);
  const ofNode = types.length > 0 ? ['server.ts'] : []; // it names the requests of node:http
  const options = { module, moduleResolution, lib, types, target: 'es2022', strict: true, noEmit: true };
  project.save(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        ...options,
        ...{ exactOptionalPropertyTypes: true, verbatimModuleSyntax: true, skipLibCheck: types.length > 0 },
        typeRoots: [resolve('node_modules/@types')],
      },
      files: ['account.ts', 'browser.ts', 'factors.ts', 'react.ts', 'sign.ts', ...ofNode],
    }),
  );
  expect(project.run(resolve('node_modules/.bin/tsc'), '-p', '.')).toBe('');
  project.save('sign.ts', SIGN.replace("keyId: 'ak_', secret: 'aks_' });", 'keyId: 1 });'));
  expect(() => project.run(resolve('node_modules/.bin/tsc'), '-p', '.')).toThrow(
    "Type 'number' is not assignable to type 'string'",
  );
});

async function bundle(contents: string, platform: 'browser' | 'node'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project.folder, loader: 'ts' },
    ...{ platform, bundle: true, minify: true, format: 'esm', write: false, logLevel: 'silent' },
  });
  return outputFiles[0]?.text ?? '';
}

test(`esbuild bundles it for browsers, in at most ${MOST_BYTES} bytes, and leaves out what is not used`, async () => {
  const bundled = await bundle(`export { createAuthClient, AuthError } from '@auth-gateway/client/browser'`, 'browser');
  expect(bundled).toContain('refresh-retry');
  expect(bundled).not.toMatch(/navigator\.credentials|recovery_codes|revokeSession/); // which are entries of their own
  expect(gzipSync(bundled).length).toBeLessThanOrEqual(MOST_BYTES);
  expect(
    await bundle(
      ['account', 'browser', 'factors', 'passkeys', 'sign', 'server']
        .map((name) => `import '@auth-gateway/client/${name}';`)
        .join(' '),
      'node',
    ),
  ).toBe('');
  expect(await bundle(SIGN, 'node')).toContain('content-digest');
});

test('Vite bundles it', async () => {
  project.save('main.ts', BROWSER);
  project.save('index.html', '<script type="module" src="/main.ts"></script>');
  project.run(join(await packagesFolder(), 'node_modules/.bin/vite'), 'build', '--logLevel', 'error');
  const [name = ''] = readdirSync(join(project.folder, 'dist/assets'));
  expect(inside(`dist/assets/${name}`)).toContain('refresh-retry');
});
