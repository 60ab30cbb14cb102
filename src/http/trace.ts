/** W3C Trace Context: which trace a request belongs to, by its `traceparent`. */
import { onlyFieldValue } from '../credentials/signatures/http-fields.js';
import type { RequestIds } from '../platform/logger.js';

/** Trace, parent and flags in lower-case hex, of which no id is all zeros; `ff` is no version. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** Empty if the field is missing, malformed or sent twice. Future versions may have more after the flags. */
export function traceOf(rawHeaders: readonly string[]): Pick<RequestIds, 'trace_id' | 'span_id'> {
  const [, version, traceId, spanId, more] = TRACEPARENT.exec(onlyFieldValue(rawHeaders, 'traceparent') ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return {};
  return { trace_id: traceId, span_id: spanId };
}
