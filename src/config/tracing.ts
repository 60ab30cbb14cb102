/** Traces, by the variables that OpenTelemetry has defined. What its exporter reads by itself is not among them. (Interface 25) */
import * as z from 'zod';
import { SAMPLERS, type TracingSettings } from '../platform/tracing.js';
import { GATEWAY_VERSION } from '../platform/versions.js';
import type { Reader } from './environment.js';
import { collectorUrl, headerFields, nameValues, oneOf, ratio, trueOrFalse, wholeNumber } from './values.js';

const MOST_MS = 3_600_000;
const MOST_SPANS = 1_000_000;

/** Everywhere else in the gateway it is lower case. */
const anyCase = z.string().toLowerCase().pipe(trueOrFalse).describe('true or false');
const protocols = oneOf('http/protobuf', 'http/json');

/** @returns undefined if tracing is off */
export function readTracing({ read, fault }: Pick<Reader, 'read' | 'fault'>): TracingSettings | undefined {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT', collectorUrl, undefined);
  const tracesEndpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', collectorUrl, undefined);
  const protocol = read('OTEL_EXPORTER_OTLP_PROTOCOL', protocols, 'http/protobuf');
  const headers = read('OTEL_EXPORTER_OTLP_HEADERS', headerFields, undefined);
  const attributes = read('OTEL_RESOURCE_ATTRIBUTES', nameValues, undefined) ?? {};
  const maxQueueSize = read('OTEL_BSP_MAX_QUEUE_SIZE', wholeNumber(1, MOST_SPANS), 2_048);
  const maxExportBatchSize = read(
    'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    wholeNumber(1, MOST_SPANS),
    Math.min(512, maxQueueSize),
  );
  if (maxExportBatchSize > maxQueueSize) {
    fault('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 'must be at most OTEL_BSP_MAX_QUEUE_SIZE');
  }
  const settings = {
    protocol: read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', protocols, protocol),
    headers: { ...headers, ...read('OTEL_EXPORTER_OTLP_TRACES_HEADERS', headerFields, undefined) },
    resource: {
      'service.version': GATEWAY_VERSION,
      ...attributes,
      'service.name': read('OTEL_SERVICE_NAME', z.string(), attributes['service.name'] ?? 'auth-gateway'),
    },
    sampler: read('OTEL_TRACES_SAMPLER', oneOf(...SAMPLERS), 'parentbased_always_on'),
    ratio: read('OTEL_TRACES_SAMPLER_ARG', ratio, 1),
    queue: {
      maxQueueSize,
      maxExportBatchSize,
      scheduledDelayMillis: read('OTEL_BSP_SCHEDULE_DELAY', wholeNumber(1, MOST_MS), 5_000),
      exportTimeoutMillis: read('OTEL_BSP_EXPORT_TIMEOUT', wholeNumber(1, MOST_MS), 30_000),
    },
  };
  const isDisabled = read('OTEL_SDK_DISABLED', anyCase, false);
  const url = tracesEndpoint?.href ?? (endpoint && `${endpoint.href.replace(/\/$/, '')}/v1/traces`);
  return isDisabled || url === undefined ? undefined : { ...settings, url };
}
