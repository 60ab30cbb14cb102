/** A writer of CBOR for the software authenticator: shortest heads, definite lengths, maps in the order given. (RFC 8949) */

export type Cbor = number | string | boolean | null | Uint8Array | readonly Cbor[] | ReadonlyMap<Cbor, Cbor> | Raw;

/** Bytes that are written as they are, well formed or not. */
export class Raw {
  constructor(readonly bytes: Buffer) {}
}

export function toCbor(value: Cbor): Buffer {
  if (value instanceof Raw) return value.bytes;
  if (value === null) return Buffer.from([0xf6]);
  if (typeof value === 'boolean') return Buffer.from([value ? 0xf5 : 0xf4]);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flat().map(toCbor)]);
  const items = value as readonly Cbor[];
  return Buffer.concat([head(4, items.length), ...items.map(toCbor)]);
}

/** A head of any major type, for an item whose content follows or does not. */
export function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  if (argument < 0x100) return Buffer.from([(major << 5) | 24, argument]);
  const bytes = Buffer.alloc(argument < 0x1_0000 ? 3 : 5);
  bytes[0] = (major << 5) | (argument < 0x1_0000 ? 25 : 26);
  bytes.writeUIntBE(argument, 1, bytes.length - 1);
  return bytes;
}
