/**
 * Runs the README's commands as they are written, in a checkout whose gateway listens on port 3000, and checks what
 * they answer: `node .ci/readme.mjs PASSWORD`. Only the words in capitals that stand for a secret are filled in.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const filled = { PASSWORD: process.argv[2] };
const environment = { ...process.env };

const text = readFileSync('README.md', 'utf8');
const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block);
// The first two blocks start and test the gateway; one is about a PostgreSQL of one's own.
const commands = blocks
  .slice(2)
  .filter((block) => !block.includes('DATABASE_URL'))
  .flatMap((block) => block.replace(/\\\n/g, '').trim().split('\n'));

/** What the answer of a command must show; the first that fits counts. */
const expected = [
  [/# 401/, /^HTTP\/1.1 401 /m],
  [/auth\/login -H|auth\/refresh|auth\/logout/, /^HTTP\/1.1 200 /m],
  [/UserCaller/, /"callerType":"user".*"role":"admin"/],
  [/CronCaller/, /"callerType":"cron".*"nightly-report"/],
  [/--send/, /^status: 200$/m],
  [/\bme \{/, /"me":\{"email":"admin@example.com".*[cC]urrent":true/],
  [/\busers\(/, /"users":\{"nodes":\[\]/],
  [/auditEvents/, /"eventType":"cron_key_created".*"eventType":"token_theft"/],
  [/cron-key create/, /^header_value: ck_/m],
  [/api-key create/, /^secret: aks_/m],
  [/session explain/, /token_theft/],
  [/audit tail/, /token_theft/],
  [/user unlock/, /^email: admin@example.com$/m],
];

for (const command of commands) {
  const words = Object.entries(filled).reduce(
    (line, [word, value]) => line.replaceAll(new RegExp(`\\b${word}\\b`, 'g'), value),
    command,
  );
  const variable = /^(\w+)=\$\(/.exec(words)?.[1];
  const script = variable === undefined ? words : `${words}; printf %s "$${variable}"`;
  const output = execFileSync('bash', ['-c', script], {
    encoding: 'utf8',
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (variable !== undefined) {
    assert.notEqual(output, '', command);
    environment[variable] = output;
    continue;
  }
  const [, shows] = expected.find(([which]) => which.test(command)) ?? [];
  if (shows !== undefined) assert.match(output, shows, command);
  for (const [, name, value] of output.matchAll(/^(header_value|secret|key_id): (\S+)$/gm))
    filled[name.toUpperCase()] = value;
}
console.log(`${commands.length} commands of the README ran as written`);
