/** A refresh while one trace in a hundred is exported, as docs/monitoring.md advises. (Interface 25) */
import { startCollector } from '../../../test/support/programs/collector.js';
import { ON_THE_GATEWAYS_CORE } from '../cores.js';
import type { Stage } from '../stage.js';
import type { Work } from '../work.js';
import { ONCE_AT, refresh } from './gateway.js';

/** On a gateway of its own, next to that without traces. */
export async function tracedWork(stage: Stage): Promise<Work> {
  const collector = await startCollector();
  stage.lab.defer(() => collector[Symbol.asyncDispose]());
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
  const gateway = await stage.gateways.start(env, { wrapper: ON_THE_GATEWAYS_CORE });
  const traced = { ...stage, gateway, gatewayPid: gateway.process.pid ?? 0 };
  const { send: _, ...work } = refresh(traced, 'refresh-traced', ONCE_AT);
  return work;
}
