/** docs/forward-authentication.md: nginx in ten minutes, each command as it is printed, with a real nginx. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { freePort } from '../support/programs/redis.js';
import { testWith } from '../support/programs/with-programs.js';
import { until } from '../support/until.js';
import { isPrinted, testedBlock } from './printed.js';
import { createReader } from './reader.js';

const FOLDER = 'examples/forward-auth';
const PAGE = 'docs/forward-authentication.md';

/** Of the folder, what its program needs; nginx gets the ports of this reader. */
const FILES = ['service.ts', 'verify-assertion.ts', 'verify-body.ts', 'package.json', 'nginx.conf'];

test('docs/forward-authentication.md: what npm installs for the service is at no address of a gateway', () => {
  const { dependencies } = JSON.parse(readFileSync(`${FOLDER}/package.json`, 'utf8'));
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(dependencies.jose).toBe(JSON.parse(readFileSync('package.json', 'utf8')).dependencies.jose); // which is tested
});

testWith(
  ['nginx', 'curl', 'bash'],
  'docs/forward-authentication.md: each command succeeds, and prints what is said',
  async () => {
    const [at, behind] = [await freePort(), await freePort()];
    await using reader = await createReader({ '8080': String(at), '8081': String(behind) });

    const prepare = reader.shell();
    await prepare.type(`mkdir -p ${FOLDER}`);
    for (const name of FILES) {
      await prepare.type(
        `cat > ${FOLDER}/${name} <<'END OF FILE'\n${readFileSync(`${FOLDER}/${name}`, 'utf8')}END OF FILE`,
      );
    }
    await prepare.type(`ln -s ${resolve('node_modules')} ${FOLDER}/node_modules`); // in the place of npm install

    await reader.shell().type(testedBlock(PAGE, 'gateway'), '"msg":"ready"}');
    const answers = (port: number) => () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      );
    for (const [program, port] of [
      ['service', behind],
      ['nginx', at],
    ] as const) {
      await reader.shell().type(testedBlock(PAGE, program), '');
      await until(`port ${port} is open`, answers(port));
    }

    const shell = reader.shell();
    for (const name of ['as-a-user', 'by-keys', 'as-nginx']) {
      let printed = '';
      for (const command of testedBlock(PAGE, name).split(/(?<!\\)\n/)) printed += await shell.type(command);
      const said = testedBlock(PAGE, `${name}-prints`);
      expect(isPrinted(printed, said) ? said : printed).toBe(said);
    }
  },
);
