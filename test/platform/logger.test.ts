/** DESIGN, "Facts": an ORM's exception text holds the failing row, so a log tells class, code and place alone. */
import { describeError } from '../../src/platform/logger.js';

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

test.each(['secret', null, undefined, { password: 'secret' }])('what is no error is told by its type: %j', (thrown) => {
  expect(describeError(thrown)).toEqual({ name: typeof thrown });
});
