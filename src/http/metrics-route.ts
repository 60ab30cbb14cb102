/** Interface 10 and 14: `GET /metrics`. */
import type { Express, Response } from 'express';
import { poolFigures } from '../db/pools.js';
import type { Deps } from '../parts.js';
import type { Metrics } from '../platform/metrics.js';
import { methodNotAllowed } from './errors.js';

type Measured = Deps<'clock' | 'db' | 'metrics' | 'passwords'>;

/** Measures what is not counted as it happens. @returns the metrics of this process */
export async function measure({ clock, db, metrics, passwords }: Measured): Promise<Metrics['registry']> {
  const skewSeconds = clock.skewSeconds();
  if (skewSeconds !== undefined) metrics.clockSkew.set(skewSeconds);
  metrics.passwordQueue.set(passwords.waiting());
  const { idle, used, waiters } = poolFigures(db);
  metrics.poolConnections.set({ state: 'idle' }, idle);
  metrics.poolConnections.set({ state: 'used' }, used);
  metrics.poolWaiters.set(waiters);
  return metrics.registry;
}

/** The metrics of this process or, where it is one of several, of all of them. */
export function addMetricsRoute(app: Express, deps: Measured & Deps<'primary'>): void {
  const { metrics, primary } = deps;
  const text = async ({ locals }: Response): Promise<string> =>
    primary === undefined ? (await measure(deps)).metrics() : locals.budget.spend(() => primary.metrics());

  app
    .route('/metrics')
    .get(async (_req, res) => {
      res.set('Content-Type', metrics.registry.contentType).send(await text(res));
    })
    .all(methodNotAllowed('GET', 'HEAD'));
}
