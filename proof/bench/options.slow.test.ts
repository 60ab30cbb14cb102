/** The words of `npm run bench`. */
import { readOptions } from './options.js';
import { PEERS } from './works/peer.js';

test('measures all works but those of peers, unless they are asked for', () => {
  const { names, mode, rounds } = readOptions([]);
  expect({ mode, rounds }).toEqual({ mode: 'measure', rounds: 3 });
  expect(names).toContain('refresh');
  expect(names.filter((name) => PEERS.includes(name))).toEqual([]);
  const { names: all } = readOptions(['--peer']);
  expect(all.filter((name) => !PEERS.includes(name))).toEqual(names);
  expect(all).toEqual(expect.arrayContaining([...PEERS]));
  expect(readOptions(['--publish']).names).toEqual(all);
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
  [['--publish', '--only', 'refresh'], /for a run of all works/],
  [['--publish', '--count'], /for a run of all works/],
  [['--quick'], /Unknown option/],
])('refuses %p', (words, message) => {
  expect(() => readOptions(words)).toThrow(message);
});
