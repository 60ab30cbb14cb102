/** CONTRACT 10 and 14: `GET /metrics`. */
import type { Express } from 'express';
import { poolFigures } from '../db/pools.js';
import type { Deps } from '../parts.js';
import { methodNotAllowed } from './errors.js';
import type { Readiness } from './readiness.js';

export function addMetricsRoute(
  app: Express,
  { db, metrics, passwords }: Deps<'db' | 'metrics' | 'passwords'>,
  readiness: Readiness,
): void {
  /** What is not counted as it happens. */
  const measure = async (): Promise<void> => {
    metrics.passwordQueue.set(passwords.waiting());
    const { idle, used, waiters } = await poolFigures(db);
    metrics.poolConnections.set({ state: 'idle' }, idle);
    metrics.poolConnections.set({ state: 'used' }, used);
    metrics.poolWaiters.set(waiters);
  };

  app
    .route('/metrics')
    .get(async (_req, res) => {
      await measure();
      void readiness.check(); // looks at the clock for the next scrape; this one waits for no store
      res.set('Content-Type', metrics.registry.contentType).send(await metrics.registry.metrics());
    })
    .all(methodNotAllowed('GET', 'HEAD'));
}
