/** What is read from a CPU profile. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inSources, sharesOf } from './profile.js';

const frame = (functionName: string, url = '', lineNumber = 0, columnNumber = 0) => ({
  functionName,
  url,
  lineNumber,
  columnNumber,
});

test('shares of self time by function and by package, without idle time and what is small', () => {
  const ours = 'file:///srv/src/auth/refresh.ts';
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
      { what: 'refresh src/auth/refresh.ts:10', share: 0.5 },
      { what: '(anonymous) node_modules/jose/b.js:1', share: 0.2 },
      { what: 'run (native), called by refresh src/auth/refresh.ts:10', share: 0.19 },
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

test('functions of the bundle are named by their source files', () => {
  const files = readdirSync('dist/program').filter((name) => name.endsWith('.js'));
  const functions: Array<[name: string, source: string]> = [
    ['runCli', 'src/cli/cli.ts'],
    ['compactVerify', 'node_modules/jose/dist/webapi/jws/compact/verify.js'],
  ];
  for (const [name, source] of functions) {
    const found = files.flatMap((file) => {
      const [before = '', after] = readFileSync(`dist/program/${file}`, 'utf8').split(`async function ${name}(`);
      const lines = before.split('\n');
      const column = `${lines.at(-1)}async function ${name}`.length;
      const address = pathToFileURL(resolve('dist/program', file)).href;
      return after === undefined ? [] : [frame(name, address, lines.length - 1, column)];
    });
    const nodes = found.map((callFrame, id) => ({ id, callFrame }));
    const placed = inSources({ nodes, samples: [], timeDeltas: [] }).nodes;
    const addresses = new Set(placed.map(({ callFrame }) => callFrame.url)); // two builds may be there
    expect([...addresses]).toEqual([pathToFileURL(resolve(source)).href]);
  }
});
