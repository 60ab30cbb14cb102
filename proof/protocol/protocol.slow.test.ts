/**
 * The model of rotation (`rotation.pml`), checked by Spin: every state within its bounds. PROTOCOL_SIZE=large has larger bounds.
 * Needs `spin` and `gcc` (REQUIRE_PROGRAMS=1). (Spec 3.1, 4.2, 4.3, Interface 12 and 20)
 */
import { writeFile } from 'node:fs/promises';
import { ENDS, INVARIANTS, LARGE, MUTANTS, type Run, SMALL } from './runs.js';
import { type Checked, compile, hasSpin, read } from './spin.js';
import { storyOf } from './story.js';

const isLarge = process.env['PROTOCOL_SIZE'] === 'large';
const say = (line: string): void => void process.stderr.write(`protocol: ${line}\n`);
/** A large run takes minutes. */
const LIMIT_MS = 3_600_000;
const testHere = (name: string, work: () => Promise<void>): void => (hasSpin ? test : test.skip)(name, work, LIMIT_MS);

const happened: Record<string, number> = {};
const runs: Array<Run & Omit<Checked, 'error' | 'events'>> = [];
/** Has the figures that docs/protocol.md prints */
const out = process.env['PROTOCOL_OUT'];
afterAll(async () => {
  if (out !== undefined) await writeFile(out, `${JSON.stringify(runs, null, 2)}\n`);
});

for (const { name, defines } of isLarge ? LARGE : SMALL)
  testHere(`no invariant is broken: ${name}`, async () => {
    await using checker = await compile(defines, ['-DSAFETY', isLarge ? '-O2' : '-O0']);
    const { error, events, ...size } = read(await checker.run(isLarge ? ['-w26'] : ['-w20']));
    runs.push({ name, defines, ...size });
    say(`${name}: ${JSON.stringify(size)}`);
    for (const [event, count] of Object.entries(events)) happened[event] = (happened[event] ?? 0) + count;
    expect(error).toBeUndefined();
  });

testHere('in these runs everything happens that the invariants are about', async () => {
  say(JSON.stringify(happened));
  const rare = isLarge ? [] : ['retried by the key before']; // takes four refreshes
  expect(Object.keys(happened)).toHaveLength(20);
  expect(Object.keys(happened).filter((event) => happened[event] === 0)).toEqual(rare);
});

testHere('each request ends', async () => {
  await using checker = await compile(ENDS.defines, ['-DNP', '-O0']);
  expect(read(await checker.run(['-l', '-w22'])).error).toBeUndefined();
});

for (const { name, defines, breaks } of MUTANTS)
  testHere(`a planted fault is found: ${name}`, async () => {
    await using checker = await compile([...defines, `ONLY=${breaks}`], ['-DSAFETY', '-DREACH', '-O0']);
    expect(read(await checker.run(['-w20', '-i'])).error).toBe(`assertion violated (broken!=${breaks})`);
    const story = storyOf(await checker.trail());
    expect(story.length).toBeGreaterThan(4);
    say(`${name} breaks rule ${breaks}: ${INVARIANTS[breaks]}\n${story.map((sentence) => `  ${sentence}`).join('\n')}`);
  });
