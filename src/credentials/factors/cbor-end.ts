/** Where an item of CBOR ends, so that a decoder gets nothing that is cut off, deep or endless. (RFC 8949, Interface 20) */

/** Of structures in structures: what CTAP2's canonical form allows. */
const MAX_DEPTH = 4;

/**
 * Offset after the item that begins at `start`.
 * @returns undefined if the item is cut off or nested too deep, or has a tag, an indefinite length or one of 2^32 and more
 */
export function cborEnd(bytes: Buffer, start: number, depth = 0): number | undefined {
  const head = bytes[start];
  if (head === undefined || depth > MAX_DEPTH) return undefined;
  const [major, size] = [head >> 5, head & 0x1f];
  const argumentBytes = size < 24 ? 0 : 2 ** (size - 24);
  let end = start + 1 + argumentBytes;
  if (size > 27 || end > bytes.length) return undefined;
  if (major === 0 || major === 1 || major === 7) return end;
  if (major === 6 || size === 27) return undefined;

  const length = size < 24 ? size : bytes.readUIntBE(start + 1, argumentBytes);
  if (major === 2 || major === 3) return end + length > bytes.length ? undefined : end + length;

  const items = major === 4 ? length : 2 * length;
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
