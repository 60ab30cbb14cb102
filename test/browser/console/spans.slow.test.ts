/** The buckets of a plot when the clocks of the reader change. In each zone a process of its own. (Interface 19) */
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';

/** Looks every twenty minutes of a year's changes of the clocks, and prints what is wrong. */
const LOOK = `
  const wrong = [];
  const expectGood = (now, name, { bucket, since, until }) => {
    const buckets = spans.bucketsOf({ bucket, since, until }, []);
    const text = now.toISOString() + ' ' + name + ' ' + buckets.length;
    if (buckets[0].since !== since.toISOString() || buckets.at(-1).until !== until.toISOString()) wrong.push(text + ' ends');
    if (buckets.some(({ until }, i) => i + 1 < buckets.length && until !== buckets[i + 1].since)) wrong.push(text + ' gap');
    if (buckets.some(({ since, until }) => since >= until)) wrong.push(text + ' empty');
  };
  for (const day of CHANGES) {
    for (let ms = -2 * 86400000; ms < 3 * 86400000; ms += 1200000) {
      const now = new Date(Date.parse(day) + ms);
      expectGood(now, 'hours', spans.lastHours(now));
      expectGood(now, 'days', spans.lastDays(now));
    }
  }
  console.log(JSON.stringify(wrong.slice(0, 5)));
`;

test.each([
  ['Europe/Berlin', ['2026-03-29', '2026-10-25']],
  ['America/New_York', ['2026-03-08', '2026-11-01']],
  ['Australia/Lord_Howe', ['2026-04-05', '2026-10-04']],
  ['America/Santiago', ['2026-04-05', '2026-09-06']],
  ['Asia/Kathmandu', ['2026-06-01']],
  ['UTC', ['2026-06-01']],
])(
  'Interface 19: in %s each span is cut into buckets without a gap, also when the clocks change',
  async (zone, days) => {
    const { outputFiles } = await build({
      entryPoints: ['pages/console/views/audit/spans.ts'],
      bundle: true,
      format: 'iife',
      globalName: 'spans',
      write: false,
    });
    const input = `${outputFiles[0]?.text}\nconst CHANGES = ${JSON.stringify(days)};${LOOK}`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-'], { input, env: { TZ: zone }, timeout: 60_000 });
    expect([stdout.toString().trim(), stderr.toString()]).toEqual(['[]', '']);
  },
);
