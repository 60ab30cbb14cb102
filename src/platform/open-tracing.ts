/** OpenTelemetry's SDK: samples, queues and exports spans. Loaded only if an endpoint is set. (Interface 25) */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { RemoteSpan, Tracing, TracingSettings } from './tracing.js';

/** How long a stop waits for the last export: milliseconds. */
const STOP_MS = 2_000;

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };

/** Receives the result of each export. */
export interface ExportReport {
  /** The collector has taken spans, or why it has not */
  exported(state: 'ok' | `answering ${number}` | 'unreachable', error?: unknown): void;
  dropped(spans: number): void;
}

export function openTracing(settings: TracingSettings, report: ExportReport): Tracing {
  const processor = createProcessor(settings, report);
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(settings.resource)),
    sampler: samplerOf(settings),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('auth-gateway');
  /** Sampled spans alone, so that the others cost no more than their ids. */
  const current = new AsyncLocalStorage<Span>();

  const within: Tracing['within'] = (span, work) => (span.isRecording() ? current.run(span, work) : work());
  const measured = async <T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> => {
    try {
      return await within(span, () => work(span));
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR }); // without the text, which may quote a row
      span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
      throw error;
    } finally {
      span.end();
    }
  };
  return {
    isOn: true,
    begin: (name, caller) => tracer.startSpan(name, { kind: SpanKind.SERVER }, caller && contextOf(caller)),
    within,
    span: (name, kind, attributes, work) => {
      const parent = current.getStore();
      if (parent?.isRecording() !== true) return work(undefined);
      const options = { kind: KINDS[kind], attributes };
      return measured(tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent)), work);
    },
    trace: (name, kind, attributes, work) =>
      measured(tracer.startSpan(name, { kind: KINDS[kind], attributes }, ROOT_CONTEXT), work),
    close: async () => {
      const ending = new AbortController();
      const late = sleep(STOP_MS, undefined, { signal: ending.signal });
      await Promise.race([provider.shutdown(), late]).catch(() => undefined); // the failure has been reported
      ending.abort();
      await late.catch(() => undefined);
    },
  };
}

function contextOf({ traceId, spanId, isSampled }: RemoteSpan): Context {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const [, parentBased, name] = /^(parentbased_)?(.+)$/.exec(sampler) ?? [];
  const root =
    name === 'traceidratio'
      ? new TraceIdRatioBasedSampler(ratio)
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new AlwaysOnSampler();
  return parentBased === undefined ? root : new ParentBasedSampler({ root });
}

/** A bounded queue, which the SDK exports in batches. What it would drop is counted here, and so is what no collector takes. */
function createProcessor({ url, protocol, headers, queue }: TracingSettings, report: ExportReport): SpanProcessor {
  const exporter = new (protocol === 'http/json' ? JsonExporter : ProtobufExporter)({ url, headers });
  let waiting = 0;
  const reporting: SpanExporter = {
    export: (spans, done) => {
      waiting -= spans.length;
      exporter.export(spans, (result) => {
        if (result.error === undefined) report.exported('ok');
        else {
          const { code } = result.error as { code?: unknown }; // of HTTP, if the collector has answered
          report.exported(typeof code === 'number' ? `answering ${code}` : 'unreachable', result.error);
          report.dropped(spans.length);
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({ exporter: reporting, ...queue });
  return {
    onStart: () => undefined,
    onEnd: (span) => {
      if (waiting >= queue.maxQueueSize) return report.dropped(1);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
