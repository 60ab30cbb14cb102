/** CONTRACT 10: health. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import { statement } from '../db/statement.js';
import type { Deps } from '../parts.js';
import { methodNotAllowed, sendUnavailable } from './errors.js';

const pingSql = statement('ping', {}, { one: 'integer' })`
  select 1 as one`;

/** How long a store may take to answer before the instance counts as not ready: milliseconds. */
const READY_WITHIN_MS = 3_000;

export function addHealthRoutes(app: Express, { db, redis }: Deps<'db' | 'redis'>): void {
  const isReady = async (): Promise<boolean> => {
    const asked = Promise.allSettled([db.run(pingSql, {}), redis?.ping()]);
    const late = sleep(READY_WITHIN_MS, undefined, { ref: false });
    const answers = await Promise.race([asked, late]);
    return answers?.every(({ status }) => status === 'fulfilled') ?? false;
  };
  /** One check serves all who ask meanwhile. */
  let asking: Promise<boolean> | undefined;

  app
    .route('/health/live')
    .get((_req, res) => void res.json({ status: 'live' }))
    .all(methodNotAllowed('GET', 'HEAD'));

  app
    .route('/health/ready')
    .get(async (_req, res) => {
      asking ??= isReady().finally(() => {
        asking = undefined;
      });
      if (await asking) res.json({ status: 'ready' });
      else sendUnavailable(res);
    })
    .all(methodNotAllowed('GET', 'HEAD'));
}
