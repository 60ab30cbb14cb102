/** Interface 14: the metrics of several processes as those of one gateway. */
import { AggregatorRegistry } from 'prom-client';
import type { Metrics, MetricsOfProcess } from '../platform/metrics.js';

/** As their `aggregator` says; without one they are added. */
export function sum(all: MetricsOfProcess[]) {
  return AggregatorRegistry.aggregate(all);
}

/** What stays of processes that have ended: counters and histograms never go back. */
export async function countedBy(all: MetricsOfProcess[]): Promise<MetricsOfProcess> {
  const summed = await sum(all).getMetricsAsJSON();
  return summed.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}

/** What the primary has counted, and that the gateway began when it did: its workers come and go. To be summed first. */
export async function ofPrimary({ registry }: Pick<Metrics, 'registry'>): Promise<MetricsOfProcess> {
  const all = await registry.getMetricsAsJSON();
  const start = all.filter(({ name }) => name === 'process_start_time_seconds');
  return [...(await countedBy([all])), ...start.map((metric) => ({ ...metric, aggregator: 'min' as const }))];
}
