/** A refresh while one trace in a hundred is exported, as docs/monitoring.md advises. (Interface 25) */
import { startCollector } from '../../../test/support/programs/collector.js';
import { ON_THE_GATEWAYS_CORE } from '../cores.js';
import type { Stage } from '../stage.js';
import type { Work } from '../work.js';
import { ONCE_AT, refresh } from './gateway.js';

const TRACED = 'refresh-traced';
/** Its twin: of the same age, with the same requests behind it, and without traces. That of `refresh` has also logged out others. */
const UNTRACED = 'refresh-untraced';

export async function tracedWorks(stage: Stage, names: readonly string[]): Promise<Work[]> {
  const works: Work[] = [];
  if (names.includes(UNTRACED)) works.push(await refreshOn(stage, UNTRACED, {}));
  if (names.includes(TRACED)) {
    const collector = await startCollector();
    stage.lab.defer(() => collector[Symbol.asyncDispose]());
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
    };
    works.push(await refreshOn(stage, TRACED, env));
  }
  return works;
}

/** On a gateway of its own */
async function refreshOn(stage: Stage, name: string, env: Record<string, string>): Promise<Work> {
  const gateway = await stage.gateways.start(env, { wrapper: ON_THE_GATEWAYS_CORE });
  const { send: _, ...work } = refresh({ ...stage, gateway, gatewayPid: gateway.process.pid ?? 0 }, name, ONCE_AT);
  return work;
}
