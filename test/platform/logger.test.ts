/** An ORM's exception text holds the failing row, so a log line has class, code and place alone. (Interface 14) */
import { describeError } from '../../src/platform/logger.js';
import { Outage } from '../../src/platform/outage.js';
import { describeOutage } from '../../src/readiness/error-lines.js';

test('an error is described without its message, nor that of its causes, nor any other field', () => {
  const cause = Object.assign(new TypeError('secret row'), { code: '23505', detail: 'Key (email)=(secret@x.io)' });
  const described = describeError(new Error('secret statement', { cause }));
  expect(described).toEqual({
    name: 'Error',
    at: expect.any(Array),
    cause: { name: 'TypeError', code: '23505', at: expect.any(Array) },
  });
  expect(JSON.stringify(described)).not.toContain('secret');
});

test('a message of several lines does not pass for places', () => {
  expect(JSON.stringify(describeError(new Error('one\nsecret\ntwo')))).not.toContain('secret');
});

test.each(['secret', null, undefined, { password: 'secret' }])(
  'a thrown value that is not an error is logged by its type: %j',
  (thrown) => {
    expect(describeError(thrown)).toEqual({ name: typeof thrown });
  },
);

const ADDRESS = '10.0.0.1:5432';

test.each([
  ['timeout exceeded when trying to connect', undefined, 'timeout exceeded when trying to connect'],
  ['Query read timeout', undefined, 'Query read timeout'],
  ['Connection terminated unexpectedly', undefined, 'Connection terminated unexpectedly'],
  [`connect ECONNREFUSED ${ADDRESS}`, 'ECONNREFUSED', `connect ECONNREFUSED ${ADDRESS}`],
  ['connect ENOENT /run/postgresql/.s.PGSQL.5432', 'ENOENT', 'connect ENOENT /run/postgresql/.s.PGSQL.5432'],
  ['getaddrinfo ENOTFOUND db.example.com', 'ENOTFOUND', 'getaddrinfo ENOTFOUND db.example.com'],
  ["OOM command not allowed: 'secret'", undefined, 'OOM'],
  ['All sentinels are unreachable. Last error: secret', undefined, 'All sentinels are unreachable'],
  ['insert into users values (secret) - Query read timeout', undefined, undefined],
  ['Query read timeout\nsecret', undefined, undefined],
  ['duplicate key (secret@example.com)', '23505', undefined],
  ['database "secret" does not exist', '3D000', undefined],
])('the line of the outage %j has its code and a fixed text, and no place', (message, code, text) => {
  const described = { name: 'Error', ...(code && { code }), ...(text && { text }) };
  const error = Object.assign(new Error(message), code && { code });
  expect(describeOutage(error)).toEqual(described);
  const outer = new Outage('the store cannot be asked', { cause: error });
  expect(describeOutage(outer)).toEqual({ name: 'Outage', text: 'the store cannot be asked', cause: described });
  expect(JSON.stringify(describeOutage(outer))).not.toContain('secret');
});
