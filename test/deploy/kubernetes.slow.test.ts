/** deploy/kubernetes: what the API of Kubernetes takes, and what a gateway takes that is started as the pods are. */
import { execFile, execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Container, Probe, Service } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { parseAllDocuments } from 'yaml';
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { startProcess } from '../support/gateway/server-process.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { freePort } from '../support/programs/redis.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';

const MANIFESTS = resolve('deploy/kubernetes');
const SECRETS = '/run/secrets/auth-gateway';

/** Where the types of each kind are, which are generated from the OpenAPI document that Kubernetes publishes. */
const MODULES: Record<string, string> = {
  Deployment: 'kubernetes-types/apps/v1.js',
  NetworkPolicy: 'kubernetes-types/networking/v1.js',
  PodDisruptionBudget: 'kubernetes-types/policy/v1.js',
  Service: 'kubernetes-types/core/v1.js',
};

interface Kustomization {
  resources: string[];
  images: Array<{ name: string }>;
  configMapGenerator: Array<{ name: string; literals: string[] }>;
}

let folder: string;
let gateway: TestGateway;
let deployment: Deployment;
let container: Container;
let kustomization: Kustomization;
beforeAll(async () => {
  gateway = await startGateway();
  folder = await mkdtemp(join(tmpdir(), 'kubernetes-'));
  deployment = await read('deployment.yaml');
  container = found(deployment.spec?.template.spec?.containers[0]);
  kustomization = await read('kustomization.yaml');
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the manifest lacks it');
  return value;
}

async function read<T>(file: string): Promise<T> {
  const [document, ...others] = parseAllDocuments(await readFile(join(MANIFESTS, file), 'utf8'), { merge: true });
  if (others.length > 0 || document?.errors.length !== 0) throw new Error(`${file} is not one document`);
  return document.toJS() as T;
}

test('each manifest has the fields of its kind, no others, and of the right type', async () => {
  const files = (await readdir(MANIFESTS)).filter((file) => file !== 'kustomization.yaml');
  expect(kustomization.resources.toSorted()).toEqual(files.toSorted());
  const sources = await Promise.all(
    files.map(async (file, i) => {
      const manifest = await read<{ kind: string }>(file);
      const { kind } = manifest;
      return `import type { ${kind} } from '${found(MODULES[kind])}';
        export const manifest${i}: Required<Pick<${kind}, 'apiVersion' | 'kind' | 'metadata' | 'spec'>> = ${JSON.stringify(manifest)};`;
    }),
  );
  const source = join(folder, 'manifests.ts');
  await writeFile(source, sources.join('\n'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const checked = await promisify(execFile)(resolve('node_modules/.bin/tsc'), [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    source,
  ]).catch(({ stdout }: { stdout: string }) => ({ stdout }));
  expect(checked.stdout).toBe('');
});

testWith(['kubectl'], 'kustomize builds them, and names the image and the settings', async () => {
  const built = execFileSync('kubectl', ['kustomize', MANIFESTS], { encoding: 'utf8' });
  const objects = parseAllDocuments(built).map((document) => document.toJS());
  expect(objects.map(({ kind }) => kind).toSorted()).toEqual([...Object.keys(MODULES), 'ConfigMap'].toSorted());
  const { spec } = objects.find(({ kind }) => kind === 'Deployment');
  const [started] = spec.template.spec.containers;
  expect(started.image).toMatch(/^registry\.example\.com\/auth-gateway:/);
  expect(started.envFrom[0].configMapRef.name).toMatch(/^auth-gateway-\w+$/);
});

test('they fit each other: labels, ports, times, the image', async () => {
  const labels = deployment.spec?.template.metadata?.labels;
  const [service, budget, policy] = await Promise.all([
    read<Service>('service.yaml'),
    read<PodDisruptionBudget>('disruption-budget.yaml'),
    read<NetworkPolicy>('network-policy.yaml'),
  ]);
  const selected = [deployment.spec?.selector, budget.spec?.selector, policy.spec?.podSelector].map(
    (of) => of?.matchLabels,
  );
  expect([...selected, service.spec?.selector]).toEqual(Array(4).fill(labels));
  expect(container.image).toBe(kustomization.images[0]?.name);
  const names = container.ports?.map(({ name }) => name);
  expect(names).toContain(service.spec?.ports?.[0]?.targetPort);
  expect(policy.spec?.ingress?.flatMap(({ ports }) => ports?.map(({ port }) => port))).toEqual(names);
  const delaySeconds = Number(container.env?.find(({ name }) => name === 'SHUTDOWN_DELAY_SECONDS')?.value);
  expect(delaySeconds).toBeGreaterThan(0);
  expect(deployment.spec?.template.spec?.terminationGracePeriodSeconds).toBeGreaterThan(delaySeconds + 25);
});

/** As the kubelet mounts a secret: the files behind two links, the second of which it replaces. */
async function mountSecret(place: string, version: string): Promise<void> {
  const data = join(place, version);
  await mkdir(data, { recursive: true });
  await chmod(place, 0o1777);
  await writeFile(join(data, 'database-url'), `${gateway.database.url}\n`);
  await copyFile(required(KEYRING_FILE), join(data, 'keyring.json'));
  for (const file of await readdir(data)) await chmod(join(data, file), 0o440);
  await symlink(version, join(place, '..new'));
  await rename(join(place, '..new'), join(place, '..data'));
}

test('a gateway starts with what the pods are given, without a warning, answers the probes, and reads a changed secret', async () => {
  const place = join(folder, 'secrets');
  await mountSecret(place, '..1');
  for (const file of ['database-url', 'keyring.json']) await symlink(`..data/${file}`, join(place, file));
  const given = [
    ...found(kustomization.configMapGenerator[0]).literals.map((literal) => literal.split('=')),
    ...(container.env ?? []).map(({ name, value }) => [name, value?.replace(SECRETS, place)]),
  ];
  const ports = { http: await freePort(), metrics: await freePort() };
  const env = {
    ...Object.fromEntries(given),
    LISTEN_HOST: '127.0.0.1',
    METRICS_HOST: '127.0.0.1',
    PORT: String(ports.http),
    METRICS_PORT: String(ports.metrics),
    TRUST_PROXY: '10.0.0.0/8', // what stands there has to be changed, and refuses the start
    DATABASE_URL: '', // unset, which the support sets
  };
  await using server = await startProcess(gateway, env);
  const log: Array<Record<string, unknown>> = [];
  if (server.process.stdout)
    createInterface({ input: server.process.stdout }).on('line', (line) => log.push(JSON.parse(line)));
  await until('it is ready', () => {
    if (server.process.exitCode !== null) throw new Error(`it has ended: ${server.errors()}`);
    return log.some(({ msg }) => msg === 'ready');
  });
  expect([log.filter(({ level }) => level !== 'info'), server.errors()]).toEqual([[], '']);

  const portOf = (name: unknown) => `http://127.0.0.1:${ports[name as keyof typeof ports]}`;
  const { startupProbe, readinessProbe, livenessProbe } = container;
  for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
    const { path, port } = found((probe as Probe).httpGet);
    expect((await send(portOf(port), 'GET', path ?? '')).status).toBe(200);
  }
  expect((await send(portOf('metrics'), 'GET', '/metrics')).status).toBe(200);
  expect((await send(portOf('http'), 'GET', '/metrics')).status).toBe(404);
  expect(container.volumeMounts?.[0]?.mountPath).toBe(SECRETS);

  await mountSecret(place, '..2');
  await until('it is read', () => log.some(({ msg }) => msg === 'keyring read again'));
});
