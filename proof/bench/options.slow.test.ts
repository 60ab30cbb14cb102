/** The words of `npm run bench`. */
import { readOptions } from './options.js';

test('measures all works but the peer, unless it is asked for', () => {
  const { names, mode, rounds } = readOptions([]);
  expect({ mode, rounds }).toEqual({ mode: 'measure', rounds: 3 });
  expect(names).toContain('refresh');
  expect(names).not.toContain('peer');
  expect(readOptions(['--peer']).names).toEqual(['refresh', 'peer', ...names.slice(1)]);
  expect(readOptions(['--only', 'statement,peer,refresh']).names).toEqual(['refresh', 'peer', 'statement']);
});

test('counts some works, and those that are asked for', () => {
  expect(readOptions(['--count', '--against', 'before.json'])).toMatchObject({ mode: 'count', against: 'before.json' });
  expect(readOptions(['--count']).names).toContain('refresh');
  expect(readOptions(['--count', '--only', 'logout']).names).toEqual(['logout']);
});

test.each([
  [['--only', 'refresh,refesh'], /no such work: refesh; there are refresh, /],
  [['--seconds', '0'], /take a number/],
  [['--rounds', '1.5'], /take a number/],
  [['--quick'], /Unknown option/],
])('refuses %p', (words, message) => {
  expect(() => readOptions(words)).toThrow(message);
});
