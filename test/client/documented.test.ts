/** Interface 13: the TypeScript that client/README.md prints compiles as strictly as can be, with the installed package. */
import { resolve } from 'node:path';
import { blocksOf } from '../documents/printed.js';
import { installClient, type Project } from './packed.js';

const AUTH =
  "import { createAuthClient } from '@auth-gateway/client/browser';\nexport const auth = createAuthClient({ url: '/' });";

let project: Project;
beforeAll(() => {
  project = installClient();
  for (const name of ['react', '@types/react']) project.link(name);
  project.save('auth.ts', AUTH);
  const compilerOptions = {
    ...{ module: 'esnext', moduleResolution: 'bundler', target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'] },
    ...{ jsx: 'react-jsx', types: [], noEmit: true, strict: true, exactOptionalPropertyTypes: true },
    ...{ noUnusedLocals: true, noUnusedParameters: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true },
  };
  project.save('tsconfig.json', JSON.stringify({ compilerOptions, files: ['page.tsx'] }));
});
afterAll(() => project[Symbol.dispose]());

const blocks = blocksOf('client/README.md').filter(({ language }) => language === 'tsx');

test.each(blocks)('Interface 13: example %# compiles', ({ text }) => {
  project.save('page.tsx', text);
  expect(project.run(resolve('node_modules/.bin/tsc'), '-p', '.')).toBe('');
  project.save('page.tsx', text.replaceAll('auth.login(form)', 'auth.login(5)'));
  expect(() => project.run(resolve('node_modules/.bin/tsc'), '-p', '.')).toThrow('not assignable');
});
