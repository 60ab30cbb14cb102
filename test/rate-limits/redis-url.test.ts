/** The forms of REDIS_URL, which are those of peers. (Interface 2) */

import { ConfigError, readConfig } from '../../src/config/config.js';
import type { RedisTarget } from '../../src/config/redis-url.js';

/** What is not said of a place: a server on this port, without TLS or credentials. */
const at = (...hosts: string[]): Pick<RedisTarget, 'hosts' | 'tls' | 'credentials'> => ({
  hosts: hosts.map((host) => ({ host: host.replace(/:\d+$/, ''), port: Number(/\d+$/.exec(host)?.[0]) })),
  tls: false,
  credentials: {},
});
const single = (host: string) => ({ ...at(host), kind: 'single', db: 0 });
const sentinel = (...hosts: string[]) => ({
  ...at(...hosts),
  kind: 'sentinel',
  db: 0,
  masterName: 'limits',
  ofSentinels: {},
});
const cluster = (...hosts: string[]) => ({ ...at(...hosts), kind: 'cluster' });
const login = (username: string, password: string) => ({ username, password });

test.each<[string, unknown]>([
  ['redis://cache', single('cache:6379')],
  ['valkey://cache:6380/', single('cache:6380')],
  ['REDIS://redis_1/7', { ...single('redis_1:6379'), db: 7 }],
  ['redis://[2001:db8::1]:6380', single('2001:db8::1:6380')],
  ['rediss://10.0.0.1', { ...single('10.0.0.1:6379'), tls: true }],
  ['valkeys://u:p@cache/2', { ...single('cache:6379'), tls: true, db: 2, credentials: login('u', 'p') }],
  ['redis://:p%40%2F%3A@cache', { ...single('cache:6379'), credentials: { password: 'p@/:' } }],
  ['redis://u:a:b@c@cache', { ...single('cache:6379'), credentials: login('u', 'a:b@c') }],
  ['redis+sentinel://s1,s2:5000/limits', sentinel('s1:26379', 's2:5000')],
  ['valkey+sentinel://s1/limits/3', { ...sentinel('s1:26379'), db: 3 }],
  ['redis+sentinel://s1/my%20limits/', { ...sentinel('s1:26379'), masterName: 'my limits' }],
  [
    'rediss+sentinel://u:p@s1,[::1]:1/limits?sentinel_username=v&sentinel_password=q%26+%3D',
    { ...sentinel('s1:26379', '::1:1'), tls: true, credentials: login('u', 'p'), ofSentinels: login('v', 'q&+=') },
  ],
  ['redis+sentinel://s1/my%40limits', { ...sentinel('s1:26379'), masterName: 'my@limits' }],
  ['redis+sentinel://s1/limits?sentinel_password=q@/', { ...sentinel('s1:26379'), ofSentinels: { password: 'q@/' } }],
  ['redis+sentinel://s1/limits?sentinel_password=q', { ...sentinel('s1:26379'), ofSentinels: { password: 'q' } }],
  ['redis+cluster://n1,n2:7000,n3', cluster('n1:6379', 'n2:7000', 'n3:6379')],
  ['valkeys+cluster://:p@n1/0', { ...cluster('n1:6379'), tls: true, credentials: { password: 'p' } }],
])('Interface 2: REDIS_URL=%s', (text, place) => {
  expect(readConfig({ REDIS_URL: text }).redis).toEqual(place);
});

const FORM = /^REDIS_URL: must be one line: a URL such as .*%2F/;
/** Each says how a password is written. */
const HOST = /^REDIS_URL: has an invalid host.*%2F/;
const AT_BEHIND_SLASH = /^REDIS_URL: has an @ after the first \/, so the password is not encoded .*%2F/;

test.each<[string, RegExp]>([
  ['secret', FORM],
  ['redis:secret', FORM],
  ['redis://', FORM],
  ['redis:///secret', FORM],
  ['redis-sentinel://secret/limits', FORM],
  ['redis+secret://h', FORM],
  ['redis://u:secret@h#secret', FORM],
  ['redis://cache\u0000secret', FORM],
  ['redis://:secret@', HOST],
  ['redis://:secret/x@h', AT_BEHIND_SLASH],
  ['redis://:p@secret/secret@h:6379/0', AT_BEHIND_SLASH],
  ['redis://u:12/secret@h', AT_BEHIND_SLASH],
  ['rediss+sentinel://:p@secret/secret@s1,s2/limits/0', AT_BEHIND_SLASH],
  ['redis+cluster://:p@secret/secret@n1,n2', AT_BEHIND_SLASH],
  ['redis://h:0?secret', HOST],
  ['redis://h:65536', HOST],
  ['redis://[:::]', HOST],
  ['redis://se cret', HOST],
  ['redis+cluster://n1,', HOST],
  ['redis+cluster://:secret@n1,:secret@n2', /^REDIS_URL: must have credentials only once, in front of the first host/],
  ['redis://h?secret', /^REDIS_URL: takes no parameters after \? .*%2F/],
  ['redis://h1,secret', /^REDIS_URL: must be redis\+sentinel:\/\/ or redis\+cluster:\/\/ if/],
  ['redis://h/secret', /^REDIS_URL: must name the database by its number$/],
  ['redis+sentinel://s/limits/secret', /^REDIS_URL: must name the database by its number$/],
  ['redis+sentinel://s', /^REDIS_URL: needs the name of the master/],
  ['redis+sentinel://s?secret=secret', /^REDIS_URL: needs the name of the master/],
  ['redis+sentinel://s//0', /^REDIS_URL: needs the name of the master/],
  [
    'redis+sentinel://s/limits?secret',
    /^REDIS_URL: takes only the parameters sentinel_username and sentinel_password .*%2F/,
  ],
  ['redis+cluster://n1/1', /^REDIS_URL: must not name a database of a cluster/],
  ['redis+cluster://n1?secret', /^REDIS_URL: takes no parameters after \? .*%2F/],
  ['redis://u:secret%@h', /^REDIS_URL: has a % that encodes nothing .*%2F/],
])('Interface 2: REDIS_URL=%j is refused, and nothing of it is repeated', (text, fault) => {
  expect(() => readConfig({ REDIS_URL: text })).toThrow(ConfigError);
  expect(() => readConfig({ REDIS_URL: text })).toThrow(fault);
  expect(() => readConfig({ REDIS_URL: text })).not.toThrow(/se ?cret/);
});
