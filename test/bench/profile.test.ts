/** What is read from a CPU profile. */
import { sharesOf } from './profile.js';

const frame = (functionName: string, url = '', lineNumber = 0) => ({ functionName, url, lineNumber });

test('shares of self time by function and by package, without idle time and what is small', () => {
  const ours = 'file:///srv/dist/src/auth/refresh.js';
  const nodes = [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 4, 6, 7] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('refresh', ours, 9), children: [5] },
    { id: 4, callFrame: frame('', 'file:///srv/node_modules/@apollo/server/a/node_modules/jose/b.js', 0) },
    { id: 5, callFrame: frame('run') },
    { id: 6, callFrame: frame('(garbage collector)') },
    { id: 7, callFrame: frame('small', 'node:net', 4) },
  ];
  const samples = [2, 3, 4, 5, 6, 7];
  const timeDeltas = [5_000, 500, 200, 190, 100, 10];
  expect(sharesOf({ nodes, samples, timeDeltas })).toEqual({
    functions: [
      { what: 'refresh dist/src/auth/refresh.js:10', share: 0.5 },
      { what: '(anonymous) node_modules/jose/b.js:1', share: 0.2 },
      { what: 'run (native), called by refresh dist/src/auth/refresh.js:10', share: 0.19 },
      { what: '(garbage collector)', share: 0.1 },
    ],
    packages: [
      { what: 'auth-gateway', share: 0.5 },
      { what: 'jose', share: 0.2 },
      { what: 'node', share: 0.2 },
      { what: '(garbage collector)', share: 0.1 },
    ],
  });
});
