/** The route `GET /metrics`. (Interface 10 and 14) */
import { stat } from 'node:fs/promises';
import type { Express } from 'express';
import { poolFigures } from '../../db/pools.js';
import type { Metrics } from '../../metrics.js';
import type { Deps } from '../../services.js';
import { addReadOnly } from '../errors.js';
import { sendJson } from '../send-json.js';

type Measured = Deps<'clock' | 'config' | 'db' | 'keyring' | 'metrics' | 'passwords'>;

/** Measures what is not counted as it happens. */
async function measure(deps: Measured): Promise<Metrics['registry']> {
  const { clock, db, metrics, passwords } = deps;
  const skewSeconds = clock.skewSeconds();
  if (skewSeconds !== undefined) metrics.clockSkew.set(skewSeconds);
  metrics.passwordQueue.set(passwords.waiting());
  const { idle, used, waiters } = poolFigures(db);
  metrics.poolConnections.set({ state: 'idle' }, idle);
  metrics.poolConnections.set({ state: 'used' }, used);
  metrics.poolWaiters.set(waiters);
  const keyStart = await signingKeyStart(deps).catch(() => undefined); // the file is away for a moment: as before
  if (keyStart !== undefined) metrics.signingKeyStart.set(keyStart);
  return metrics.registry;
}

/** Seconds since the epoch. Keys of `keyring create` have no time of their own, but their file has. */
async function signingKeyStart({ clock, config, keyring }: Measured): Promise<number> {
  const { notBefore } = keyring.inUse('access', clock.now());
  return notBefore > 0 ? notBefore : Math.floor((await stat(config.keyringFile)).mtimeMs / 1000);
}

export function addMetricsRoute(app: Express, deps: Measured): void {
  addReadOnly(app, '/metrics', async (req, res) => {
    const registry = await measure(deps);
    // Only doctor asks for this, which needs a figure. The form is that of the library, and is promised to nobody.
    if (req.headers.accept === 'application/json') return sendJson(res, await registry.getMetricsAsJSON());
    res.set('Content-Type', registry.contentType).send(await registry.metrics());
  });
}
