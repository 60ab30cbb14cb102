/** Which clock is wrong if two are apart, by what further clocks say. (Interface 9, `doctor`) */
import { judgeClocks, type Witness } from '../../src/doctor/clock.js';

const redis = (aheadSeconds: number, mayBeHere = false): Witness => ({ name: 'Redis', aheadSeconds, mayBeHere });
const publicUrl = (aheadSeconds: number): Witness => ({ name: 'PUBLIC_URL', aheadSeconds, mayBeHere: true });

test.each<[what: string, aheadSeconds: number, witnesses: Witness[], verdict: object]>([
  ['nobody else', 600, [], { wrong: 'unknown', sides: 2, agreeing: [] }],
  ['one agrees with the database', 600, [redis(599)], { wrong: 'here', sides: 3, agreeing: ['Redis'] }],
  [
    'two agree with it',
    -600,
    [redis(-601), publicUrl(-599.5)],
    { wrong: 'here', sides: 4, agreeing: ['Redis', 'PUBLIC_URL'] },
  ],
  ['one agrees with this host', 600, [redis(1)], { wrong: 'database', sides: 3, agreeing: ['Redis'] }],
  ['what agrees may be this host', 600, [redis(0, true), publicUrl(0.7)], { wrong: 'unknown', sides: 2, agreeing: [] }],
  ['one on each side', 600, [redis(1), publicUrl(600)], { wrong: 'unknown', sides: 4, agreeing: [] }],
  ['one agrees with neither', 600, [redis(300)], { wrong: 'unknown', sides: 3, agreeing: [] }],
  ['a small difference, one in the middle', 6, [redis(3)], { wrong: 'unknown', sides: 3, agreeing: [] }],
])('%s', (_, aheadSeconds, witnesses, verdict) => {
  expect(judgeClocks(aheadSeconds, witnesses)).toEqual(verdict);
});
