/**
 * From the model to the program: all behaviours of a small bound are carried out by real gateways, statement by statement.
 * PROTOCOL_SIZE=large has larger bounds. Needs `spin` and `gcc` (REQUIRE_PROGRAMS=1). (Spec 3.1, 4.2, 4.3, Interface 12)
 */
import { coveringOf, eventsOf, type Replayer, startReplayer } from './replay.js';
import { REPLAYED, REPLAYED_TOO, type Run } from './runs.js';
import { compile, hasSpin } from './spin.js';

const isLarge = process.env['PROTOCOL_SIZE'] === 'large';
const LIMIT_MS = 7_200_000;
const say = (line: string): void => void process.stderr.write(`protocol: ${line}\n`);

/** Each once: they differ in what nobody can see. */
async function behavioursOf({ defines }: Run): Promise<string[]> {
  await using checker = await compile(['REPLAY', ...defines], ['-DSAFETY', '-DNOREDUCE', '-O1']);
  const lines = (await checker.run(['-w22'])).split('\n').filter((line) => line.startsWith('behaviour '));
  return [...new Set(lines)].toSorted();
}

const testHere = (name: string, work: () => Promise<void>): void => (hasSpin ? test : test.skip)(name, work, LIMIT_MS);

let replayer: Replayer;
beforeAll(async () => {
  replayer = await startReplayer();
});
afterAll(() => replayer?.[Symbol.asyncDispose]());

for (const run of isLarge ? [...REPLAYED, ...REPLAYED_TOO] : REPLAYED)
  testHere(`the gateways do what the model does: ${run.name}`, async () => {
    const all = await behavioursOf(run);
    const chosen = isLarge ? all : coveringOf(all);
    expect(chosen.length).toBeGreaterThan(10);
    for (const [i, behaviour] of chosen.entries()) {
      await replayer.replay(eventsOf(behaviour)).catch((error: unknown) => {
        throw new Error(`${behaviour}, after ${i}`, { cause: error });
      });
      if (i % 1_000 === 999) say(`${run.name}: ${i + 1} of ${chosen.length}`);
    }
    say(`${run.name}: ${chosen.length} of ${all.length} behaviours carried out`);
  });

testHere('the gateways refuse behaviours of a model with a fault', async () => {
  const [, run] = REPLAYED as [Run, Run];
  const right = new Set(await behavioursOf(run));
  const wrong = await behavioursOf({ ...run, defines: ['M_LOGOUT_LEAVES_RETRIES', 'ONLY=1', ...run.defines] });
  const [behaviour = ''] = wrong.filter((each) => !right.has(each));
  await expect(replayer.replay(eventsOf(behaviour))).rejects.toThrow('and in the model');
});
