/** Reads exports of OTLP by its specification: opentelemetry-proto, `trace/v1/trace.proto`, as JSON and as protobuf. */

export type Value = string | number | boolean | undefined;

export interface ExportedSpan {
  traceId: string;
  spanId: string;
  /** Empty: the root of its trace */
  parentSpanId: string;
  name: string;
  /** 1 internal, 2 server, 3 client */
  kind: number;
  attributes: Record<string, Value>;
  events: string[];
  /** 2: an error */
  status: { code: number; message: string };
  resource: Record<string, Value>;
}

interface JsonValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: number | string;
  doubleValue?: number;
}
type JsonAttributes = Array<{ key: string; value: JsonValue }> | undefined;

function readJsonAttributes(attributes: JsonAttributes): Record<string, Value> {
  const read = ({ stringValue, boolValue, intValue, doubleValue }: JsonValue): Value =>
    stringValue ?? boolValue ?? (intValue === undefined ? doubleValue : Number(intValue));
  return Object.fromEntries((attributes ?? []).map(({ key, value }) => [key, read(value)]));
}

export function readJson(bytes: Buffer): ExportedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: the form of the export is what is read here
  const { resourceSpans }: any = JSON.parse(bytes.toString('utf8'));
  const spans = [];
  for (const { resource, scopeSpans } of resourceSpans) {
    for (const span of scopeSpans.flatMap((scope: { spans: object[] }) => scope.spans)) {
      spans.push({
        ...{ traceId: span.traceId, spanId: span.spanId, parentSpanId: span.parentSpanId ?? '' },
        ...{ name: span.name, kind: span.kind },
        attributes: readJsonAttributes(span.attributes),
        events: (span.events ?? []).map(({ name }: { name: string }) => name),
        status: { code: span.status?.code ?? 0, message: span.status?.message ?? '' },
        resource: readJsonAttributes(resource.attributes),
      });
    }
  }
  return spans;
}

type Field = Buffer | bigint | number;

/** The fields of a protobuf message, by their numbers. */
function fieldsOf(bytes: Buffer): Map<number, Field[]> {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const read = (wireType: bigint): Field => {
    if (wireType === 0n) return varint();
    if (wireType === 1n) return take(8).readDoubleLE();
    if (wireType === 2n) return take(Number(varint()));
    if (wireType === 5n) return take(4).readUInt32LE();
    throw new Error(`protobuf has no wire type ${wireType}`);
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    fields.set(number, [...(fields.get(number) ?? []), read(tag & 7n)]);
  }
  return fields;
}

const parts = (bytes: Buffer, number: number): Buffer[] =>
  (fieldsOf(bytes).get(number) ?? []).filter((field) => Buffer.isBuffer(field));
const text = (bytes: Buffer, number: number, encoding: BufferEncoding = 'utf8'): string =>
  parts(bytes, number)[0]?.toString(encoding) ?? '';
const number = (bytes: Buffer, field: number): number => Number(fieldsOf(bytes).get(field)?.[0] ?? 0);

function readAttributes(attributes: Buffer[]): Record<string, Value> {
  const read = (value: Buffer): Value => {
    const fields = fieldsOf(value);
    if (fields.has(1)) return text(value, 1);
    if (fields.has(2)) return number(value, 2) === 1;
    return number(value, fields.has(3) ? 3 : 4);
  };
  return Object.fromEntries(
    attributes.map((attribute) => [text(attribute, 1), read(parts(attribute, 2)[0] ?? Buffer.alloc(0))]),
  );
}

export function readProtobuf(bytes: Buffer): ExportedSpan[] {
  return parts(bytes, 1).flatMap((resourceSpans) => {
    const resource = readAttributes(parts(resourceSpans, 1).flatMap((each) => parts(each, 1)));
    const spans = parts(resourceSpans, 2).flatMap((scopeSpans) => parts(scopeSpans, 2));
    return spans.map((span) => {
      const [status = Buffer.alloc(0)] = parts(span, 15);
      return {
        traceId: text(span, 1, 'hex'),
        spanId: text(span, 2, 'hex'),
        parentSpanId: text(span, 4, 'hex'),
        name: text(span, 5),
        kind: number(span, 6),
        attributes: readAttributes(parts(span, 9)),
        events: parts(span, 11).map((event) => text(event, 2)),
        status: { code: number(status, 3), message: text(status, 2) },
        resource,
      };
    });
  });
}
