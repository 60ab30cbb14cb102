/** RFC 9562 section 5.7: UUIDs of version 7. */
import fc from 'fast-check';
import { uuidInTimeOrder } from '../../src/platform/ids.js';

const V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('an id has version and variant, and says when it was made', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('2500-01-01'), noInvalidDate: true }), (at) => {
      const [, high = '', low = ''] = V7.exec(uuidInTimeOrder(at)) ?? [];
      expect(Number.parseInt(high + low, 16)).toBe(at.getTime());
    }),
  );
});

test('ids are in the order of their times, and no two of one instant are alike', () => {
  const times = [0, 1, 255, 256, 1_700_000_000_000, 1_700_000_000_001].map((ms) => new Date(ms));
  const ids = times.map(uuidInTimeOrder);
  expect(ids.toSorted()).toEqual(ids);
  const [now = new Date(0)] = times;
  expect(new Set(Array.from({ length: 10_000 }, () => uuidInTimeOrder(now))).size).toBe(10_000);
});
