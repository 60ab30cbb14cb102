/** The page that a browser is sent to by a service behind the gate, and the way back. Only if proxies may ask. (Interface 22) */
import type { Express, Request, Response } from 'express';
import * as z from 'zod';
import { issueGateCode } from '../../auth/gate-codes.js';
import type { Deps } from '../../services.js';
import { addAppPage } from '../app-page.js';
import { crossSiteRefusal, loggableOrigin } from '../cross-site.js';
import { methodNotAllowed, sendError } from '../errors.js';
import { GATE_PATH, isTarget, leadsToService } from '../gate-url.js';
import { parseBody, readJson, requireJson } from '../json-body.js';
import { sessionRateLimit } from '../rate-limits.js';
import type { RefreshCookie } from '../refresh-cookie.js';
import { CHALLENGE } from '../refusals.js';
import { sendJson } from '../send-json.js';
import { isForgotFormOurs } from './set-password-page.js';

/** @param origins FORWARD_AUTH_ORIGINS */
function wayBackBody(origins: ReadonlySet<string>) {
  const text = z.string('must be a string');
  return z.object(
    {
      origin: text.refine((origin) => origins.has(origin), 'must be one of FORWARD_AUTH_ORIGINS'),
      target: text.refine(isTarget, 'must be a path and query of printable ASCII without # and backslash'),
      state: text.regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url'),
    },
    'must be a JSON object',
  );
}

export function addGateRoutes(
  app: Express,
  deps: Deps<'clock' | 'config' | 'db' | 'tokens'>,
  { cookie }: { cookie: RefreshCookie },
): void {
  const { config } = deps;
  if (config.forwardAuth === undefined) return;
  const origins = new Set(config.forwardAuth.origins);
  const schema = wayBackBody(origins);
  const guards = [crossSiteRefusal(config), sessionRateLimit(config.sessionRateLimit, deps), requireJson, readJson];

  app
    .route('/auth/gate')
    .post(guards, async (req: Request, res: Response) => {
      const parsed = parseBody(schema, req.body);
      if ('errors' in parsed) return sendError(res, 'body_invalid', parsed);
      const db = deps.db.within(res.locals.budget);
      const code = await issueGateCode({ ...deps, db }, cookie.read(req), parsed.body);
      if (code === undefined) return sendError(res.set('WWW-Authenticate', CHALLENGE), 'session_ended');
      res.locals.outcome = 'success';
      sendJson(res, { location: `${parsed.body.origin}/.auth-gateway/callback?code=${code}` });
    })
    .all(methodNotAllowed('POST'));

  addAppPage(app, {
    name: 'gate',
    paths: new RegExp(`^${GATE_PATH}$`),
    isPage: () => true,
    leads: (req, { locals }) => {
      const { origin } = req.query;
      if (typeof origin === 'string' && !origins.has(origin)) {
        locals.outcome = 'origin_not_listed';
        locals.refusedOrigin = loggableOrigin(origin);
      }
      return leadsToService(req, origins);
    },
    facts: {
      'public-url': config.publicUrl, // the origin whose logins are accepted
      'set-password': isForgotFormOurs(config),
      account: config.account,
      'product-name': config.productName,
    },
  });
}
