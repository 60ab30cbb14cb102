/** A collector of traces on this machine, which speaks OTLP over HTTP. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ExportedSpan, readJson, readProtobuf } from '../independent/otlp.js';
import { until } from '../until.js';

export interface Collector extends AsyncDisposable {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT */
  url: string;
  spans: ExportedSpan[];
  /** Everything that was sent, as text, for a hunt of secrets */
  text(): string;
  exports: Array<{ path: string; headers: IncomingHttpHeaders }>;
  /** What it answers from now on; 200 at first. 0: never */
  answer(status: number): void;
  /** Resolves to the spans of a trace, once its root is there. */
  traceOf(root: (span: ExportedSpan) => boolean): Promise<ExportedSpan[]>;
}

export async function startCollector(port = 0): Promise<Collector> {
  const spans: ExportedSpan[] = [];
  const exports: Collector['exports'] = [];
  let status = 200;
  let text = '';
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    exports.push({ path: req.url ?? '', headers: req.headers });
    if (status === 0) return;
    const isJson = req.headers['content-type'] === 'application/json';
    text += bytes.toString('latin1');
    if (status === 200) spans.push(...(isJson ? readJson(bytes) : readProtobuf(bytes)));
    res.writeHead(status, { 'content-type': req.headers['content-type'] }).end(isJson ? '{}' : '');
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    exports,
    text: () => text,
    answer: (next) => {
      status = next;
    },
    traceOf: async (isRoot) => {
      await until('the root of the trace is exported', () => spans.some(isRoot));
      const root = spans.find(isRoot);
      return spans.filter(({ traceId }) => traceId === root?.traceId);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** A gateway that exports at once. */
export function tracingEnv({ url }: Pick<Collector, 'url'>, protocol = 'http/json'): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_BSP_SCHEDULE_DELAY: '10',
  };
}

/** The tree of a trace: each name with its children, in the order in which they began. */
export function treeOf(spans: readonly ExportedSpan[], parentSpanId: string): unknown[] {
  const children = spans.filter((span) => span.parentSpanId === parentSpanId);
  return children.map(({ name, spanId }) => {
    const below = treeOf(spans, spanId);
    return below.length === 0 ? name : [name, below];
  });
}
