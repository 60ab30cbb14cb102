/** Where an item of CBOR ends, so that a decoder gets nothing that is cut off, deep or endless. (RFC 8949, Interface 20) */

/** CTAP2's canonical form allows four levels. */
const MAX_DEPTH = 4;

/**
 * Offset after the item that begins at `start`.
 * @returns undefined if the item is cut off, of indefinite length, or deeper than four levels
 */
export function cborEnd(bytes: Buffer, start: number, depth = 0): number | undefined {
  const head = bytes[start];
  if (head === undefined || depth > MAX_DEPTH) return undefined;
  const [major, size] = [head >> 5, head & 0x1f];
  const argumentBytes = size < 24 ? 0 : 2 ** (size - 24);
  let end = start + 1 + argumentBytes;
  if (size > 27 || end > bytes.length) return undefined;
  if (major === 0 || major === 1 || major === 7) return end;

  // 2^48 and more is larger than all that is read here.
  const argument =
    size < 24
      ? size
      : size === 27
        ? Number(bytes.readBigUInt64BE(start + 1))
        : bytes.readUIntBE(start + 1, argumentBytes);
  if (argument > bytes.length) return undefined;
  if (major === 2 || major === 3) {
    end += argument;
    return end > bytes.length ? undefined : end;
  }
  const items = major === 4 ? argument : major === 5 ? 2 * argument : 1;
  for (let item = 0; item < items; item += 1) {
    const next = cborEnd(bytes, end, depth + 1);
    if (next === undefined) return undefined;
    end = next;
  }
  return end;
}

/** Whether the item that begins at `start` is a map. */
export function isCborMap(bytes: Buffer, start: number): boolean {
  return (bytes[start] ?? 0) >> 5 === 5;
}
