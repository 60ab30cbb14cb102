/** The routes of health checks. (Interface 10) */
import type { Express } from 'express';
import { RETRY_AFTER_SECONDS } from '../../platform/outage.js';
import { describeClocks } from '../../readiness/clocks.js';
import type { Readiness } from '../../readiness/readiness.js';
import type { Deps } from '../../services.js';
import { addReadOnly, sendError } from '../errors.js';
import { sendJson } from '../send-json.js';

export function addHealthRoutes(app: Express, { clock, state }: Deps<'clock' | 'state'>, readiness: Readiness): void {
  addReadOnly(app, '/health/live', (_req, res) => sendJson(res, { status: 'ok' }));

  addReadOnly(app, '/health/ready', async (_req, res) => {
    const checks = await readiness.check();
    const isReady = !state.isStopping && Object.values(checks).every((word) => word === 'ok');
    if (isReady) return sendJson(res, { status: 'ok', checks });
    res.set('Retry-After', String(RETRY_AFTER_SECONDS));
    const readings = checks.clock === 'skewed' ? clock.readings() : undefined;
    sendError(res, 'unavailable', {
      status: 'unavailable',
      checks,
      ...(readings && { clocks: describeClocks(readings) }),
    });
  });
}
