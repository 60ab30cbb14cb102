/** CONTRACT 10 and 14: `GET /metrics`. */
import type { Express } from 'express';
import { poolFigures } from '../db/pools.js';
import type { Deps } from '../parts.js';
import { methodNotAllowed } from './errors.js';

export function addMetricsRoute(
  app: Express,
  { clock, db, metrics, passwords }: Deps<'clock' | 'db' | 'metrics' | 'passwords'>,
): void {
  /** What is not counted as it happens. */
  const measure = (): void => {
    const skewSeconds = clock.skewSeconds();
    if (skewSeconds !== undefined) metrics.clockSkew.set(skewSeconds);
    metrics.passwordQueue.set(passwords.waiting());
    const { idle, used, waiters } = poolFigures(db);
    metrics.poolConnections.set({ state: 'idle' }, idle);
    metrics.poolConnections.set({ state: 'used' }, used);
    metrics.poolWaiters.set(waiters);
  };

  app
    .route('/metrics')
    .get(async (_req, res) => {
      measure();
      res.set('Content-Type', metrics.registry.contentType).send(await metrics.registry.metrics());
    })
    .all(methodNotAllowed('GET', 'HEAD'));
}
