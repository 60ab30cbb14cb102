/** Several real redis-servers that make a whole: a master with a replica that Sentinel watches, or a cluster. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { until } from '../until.js';
import { freePort, type RedisServer, startRedis } from './redis.js';

/** Passwords of the servers and of the sentinels, each with something that a URL has to encode. */
const PASSWORD = 'of/servers';
const SENTINEL_PASSWORD = 'of+sentinels&';

/** The name under which the sentinels know the master. */
const MASTER_NAME = 'limits';
/** In which limits are counted */
const DB = 3;

export interface SentinelGroup {
  url: string;
  /** The server that the sentinels name, and the other one */
  roles(): Promise<{ master: RedisServer; replica: RedisServer }>;
  /** Counters in the database of the URL */
  keys(server: RedisServer): Promise<string[]>;
  stop(): Promise<void>;
}

/** Three sentinels, of which two decide that a master is gone, after three seconds of silence. */
export async function startSentinelGroup(): Promise<SentinelGroup> {
  const folder = await mkdtemp(join(tmpdir(), 'sentinels-'));
  const settings = ['--requirepass', PASSWORD, '--masterauth', PASSWORD];
  const first = await startRedis(settings, { password: PASSWORD });
  const second = await startRedis([...settings, '--replicaof', `127.0.0.1 ${first.port}`], { password: PASSWORD });
  const ports = [await freePort(), await freePort(), await freePort()];
  const sentinels: ChildProcess[] = [];
  for (const port of ports) {
    const file = join(folder, `${port}.conf`);
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `requirepass ${SENTINEL_PASSWORD}`,
      `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
      `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${first.port} 2`,
      `sentinel auth-pass ${MASTER_NAME} ${PASSWORD}`,
      `sentinel down-after-milliseconds ${MASTER_NAME} 3000`,
    ];
    await writeFile(file, lines.join('\n'));
    sentinels.push(spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' }));
  }
  const infoOf = async (port: number): Promise<Map<string, string>> => {
    const client = new Redis(port, '127.0.0.1', { password: SENTINEL_PASSWORD, retryStrategy: () => 20 });
    client.on('error', () => undefined); // until it listens
    const words = (await client.call('sentinel', 'master', MASTER_NAME)) as string[];
    client.disconnect();
    return new Map(words.flatMap((name, i) => (i % 2 === 0 ? [[name, words[i + 1] ?? '']] : [])));
  };
  await until('each sentinel knows the others and the replica', async () => {
    const views = await Promise.all(ports.map(infoOf));
    return views.every((view) => view.get('num-other-sentinels') === '2' && view.get('num-slaves') === '1');
  });
  const encoded = [PASSWORD, SENTINEL_PASSWORD].map(encodeURIComponent);
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  return {
    url: `redis+sentinel://:${encoded[0]}@${hosts}/${MASTER_NAME}/${DB}?sentinel_password=${encoded[1]}`,
    roles: async () => {
      const masterPort = (await infoOf(ports[0] ?? 0)).get('port');
      return masterPort === String(first.port)
        ? { master: first, replica: second }
        : { master: second, replica: first };
    },
    keys: async ({ port }) => {
      const client = new Redis(port, '127.0.0.1', { password: PASSWORD, db: DB });
      const keys = await client.keys('*');
      client.disconnect();
      return keys;
    },
    stop: async () => {
      for (const sentinel of sentinels) {
        const ended = once(sentinel, 'exit');
        sentinel.kill('SIGKILL');
        await ended;
      }
      await Promise.all([first.stop(), second.stop()]);
      await rm(folder, { recursive: true });
    },
  };
}

export interface RedisCluster {
  url: string;
  nodes: RedisServer[];
  stop(): Promise<void>;
}

const SLOTS = 16_384;

/** Masters without replicas, each with an equal share of the slots. */
export async function startRedisCluster(size: number): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  const nodes: RedisServer[] = [];
  const busPorts: number[] = [];
  for (let i = 0; i < size; i += 1) {
    const busPort = await freePort();
    const words = `--cluster-enabled yes --cluster-port ${busPort} --cluster-config-file ${folder}/${i}.conf`;
    nodes.push(await startRedis(words.split(' ')));
    busPorts.push(busPort);
  }
  const share = Math.ceil(SLOTS / size);
  for (const [i, node] of nodes.entries()) {
    await node.command(`cluster addslotsrange ${i * share} ${Math.min((i + 1) * share, SLOTS) - 1}`);
    await node.command(`cluster set-config-epoch ${i + 1}`);
  }
  for (const node of nodes.slice(1)) {
    await node.command(`cluster meet 127.0.0.1 ${nodes[0]?.port} ${busPorts[0]}`);
  }
  await until('each node knows the others', async () => {
    const facts = await Promise.all(nodes.map((node) => node.command('cluster info')));
    return facts.every((text) => new RegExp(`cluster_state:ok[^]*cluster_known_nodes:${size}\r`).test(String(text)));
  });
  return {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join()}`,
    nodes,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
      await rm(folder, { recursive: true });
    },
  };
}
