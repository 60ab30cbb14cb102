/** Spans, which are written by hand. What OpenTelemetry's SDK needs is loaded only if they are exported. (Interface 25) */
import type { Attributes, Span, SpanStatusCode } from '@opentelemetry/api';

export type { Span };

/** Who waits for whom: `server` answers a caller, `client` waits for another program. */
type SpanKind = 'internal' | 'server' | 'client';

/** The span of a caller, as its `traceparent` names it: lower-case hex */
export interface RemoteSpan {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

/** Runs the work and measures it; if it throws, the span has the class of the error. `span` is undefined if nothing is measured. */
type Measure = <T>(
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: (span: Span | undefined) => Promise<T>,
) => Promise<T>;

/** `SpanStatusCode.ERROR`, without loading the package */
export const SPAN_ERROR: SpanStatusCode.ERROR = 2;

/** No attribute may hold what a log must not. */
export interface Tracing {
  isOn: boolean;
  /** Begins the span of a request, in the trace of its caller or in a new one, which may not be sampled. Undefined if tracing is off */
  begin(name: string, caller: RemoteSpan | undefined): Span | undefined;
  /** Spans of the work are children of this one, if it is sampled. */
  within<T>(span: Span, work: () => T): T;
  /** A child of the current span. Without one, or after its end, the work is not measured. */
  span: Measure;
  /** A trace of its own, for work that belongs to no request. */
  trace: Measure;
  /** Exports what has ended, for at most two seconds. */
  close(): Promise<void>;
}

export const NO_TRACING: Tracing = {
  isOn: false,
  begin: () => undefined,
  within: (_span, work) => work(),
  span: (_name, _kind, _attributes, work) => work(undefined),
  trace: (_name, _kind, _attributes, work) => work(undefined),
  close: async () => undefined,
};

/** W3C Trace Context: the field that makes another program's spans children of this one; none if there is no span. */
export function traceparentOf(span: Span | undefined): { traceparent?: string } {
  if (span === undefined) return {};
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}` };
}

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface TracingSettings {
  /** Where spans are sent, with the path */
  url: string;
  protocol: 'http/protobuf' | 'http/json';
  /** Fields of each export, which may be secret */
  headers: Record<string, string>;
  /** What every span says of the gateway, `service.name` included */
  resource: Record<string, string>;
  sampler: (typeof SAMPLERS)[number];
  /** Of `traceidratio`: from 0 to 1 */
  ratio: number;
  queue: {
    maxQueueSize: number;
    maxExportBatchSize: number;
    scheduledDelayMillis: number;
    exportTimeoutMillis: number;
  };
}
