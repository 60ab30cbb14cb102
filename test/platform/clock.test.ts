/** How times are written. */
import { utcText } from '../../src/platform/clock.js';

test('a time is written as toISOString writes it, whatever was written before', () => {
  const seconds = [0, 1, 59, 86_399, 951_782_400, 1_795_896_000, 4_102_444_799].map((each) => each * 1000);
  const times = seconds.flatMap((each) => [each + 999, each, each + 7, each + 70, each - 1]);
  for (const atMs of [...times, ...times.toReversed(), -1, -1_000, -62_135_596_800_000]) {
    expect(utcText(atMs)).toBe(new Date(atMs).toISOString());
  }
});
