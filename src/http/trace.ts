/** W3C Trace Context: which span a request belongs to, by its `traceparent`. (Interface 14 and 25) */
import { onlyFieldValue } from '../credentials/signatures/http-fields.js';
import type { RequestIds } from '../platform/logger.js';
import type { RemoteSpan } from '../platform/tracing.js';

/** Trace, parent and flags in lower-case hex, of which no id is all zeros; `ff` is no version. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]([0-9a-f])(-.*)?$/;

/** Undefined if the field is missing, malformed or sent twice. Future versions may have more after the flags. */
export function callerSpan(rawHeaders: readonly string[]): RemoteSpan | undefined {
  const found = TRACEPARENT.exec(onlyFieldValue(rawHeaders, 'traceparent') ?? '');
  if (found === null) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = found;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: Number.parseInt(flags, 16) % 2 === 1 };
}

export function traceIds(
  span: Pick<RemoteSpan, 'traceId' | 'spanId'> | undefined,
): Pick<RequestIds, 'trace_id' | 'span_id'> {
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
