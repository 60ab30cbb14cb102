/** Where items of CBOR end: examples of RFC 8949 appendix A, and what is refused. (Interface 20) */
import { cborEnd, isCborMap } from '../../../src/credentials/factors/cbor-end.js';

const WHOLE = [
  ...['00', '17', '1818', '1903e8', '1a000f4240', '1bffffffffffffffff', '20', '3863', '3bffffffffffffffff'],
  ...['f90000', 'fa47c35000', 'fb3ff199999999999a', 'f4', 'f5', 'f6', 'f7', 'f8ff'],
  ...['40', '4401020304', '60', '6449455446', '62c3bc', '58020102', '5900020102', '5a000000020102'],
  ...['80', '83010203', '8301820203820405', 'a0', 'a201020304', 'a26161016162820203', '826161a161626163'],
  '98190102030405060708090a0b0c0d0e0f101112131415161718181819',
  '8181818100',
];

test.each(WHOLE)('Interface 20: %s ends where it ends, whatever follows', (hex) => {
  const bytes = Buffer.from(hex, 'hex');
  expect(cborEnd(bytes, 0)).toBe(bytes.length);
  for (const after of [0x00, 0x80, 0xff]) {
    const more = Buffer.concat([Buffer.from([0xff]), bytes, Buffer.from([after])]);
    expect(cborEnd(more, 1)).toBe(bytes.length + 1);
  }
});

test.each(WHOLE)('Interface 20: %s is refused if it is cut off anywhere', (hex) => {
  const bytes = Buffer.from(hex, 'hex');
  for (let length = 0; length < bytes.length; length += 1) {
    expect(cborEnd(bytes.subarray(0, length), 0)).toBeUndefined();
  }
});

test.each([
  ['reserved lengths', ['1c', '1d', '1e', '5c', '7d', '9e', 'bc', 'fc', 'fd', 'fe']],
  ['indefinite lengths', ['5f42010243030405ff', '7f657374726561646d696e67ff', '9fff', 'bfff', '1f', '3f', 'ff']],
  ['tags', ['c000', 'c10000', 'c11a514b67b0', 'd818456449455446', 'a101c100', 'd9d9f7a0']],
  ['lengths of 8 bytes', ['5b000000000000000101', '9b000000000000000101', 'bb00000000000000010101']],
  ['lengths that are too large', ['5affffffff00', '9affffffff00', 'baffffffff0000', '7b7fffffffffffffff00']],
  ['five levels in a level', ['818181818100', 'a101a101a101a101a10101', `${'81'.repeat(5000)}00`]],
])('Interface 20: %s are refused', (_, items) => {
  for (const hex of items) expect(cborEnd(Buffer.from(hex, 'hex'), 0)).toBeUndefined();
});

test('Interface 20: a map is recognized by its first byte', () => {
  const maps = WHOLE.filter((hex) => isCborMap(Buffer.from(hex, 'hex'), 0));
  expect(maps).toEqual(WHOLE.filter((hex) => hex.startsWith('a')));
  expect(isCborMap(Buffer.alloc(0), 0)).toBe(false);
});
