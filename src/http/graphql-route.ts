/** CONTRACT 7: the path `/graphql`. Bytes, JSON and the caller's credential here; what is asked, in `graphql/`. */
import express, { type Express, type Request, type RequestHandler } from 'express';
import type { CallerDeps, Resolution } from '../callers/caller.js';
import { resolveCaller } from '../callers/resolve-caller.js';
import type { AnswerGraphql } from '../graphql-over-http.js';
import { methodNotAllowed } from './errors.js';
import type { RequestOutcome } from './exchange.js';
import { explorer } from './explorer.js';
import { setKeyLimit } from './rate-limits.js';

/** CONTRACT 7 */
export const BODY_BYTES = 64 * 1024;

export function addGraphqlRoute(app: Express, deps: CallerDeps, answer: AnswerGraphql): void {
  const post: RequestHandler = async (req, res) => {
    const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0); // as it came, for the signature
    const { method, originalUrl: target, rawHeaders } = req;
    const { client, requestId } = res.locals;
    const answered = await answer({
      requestId,
      client,
      headers: req.headers,
      json: readJson(req, body),
      isGone: () => req.socket.destroyed,
      resolveCaller: async () => {
        try {
          const resolution = await resolveCaller(deps, { method, target, rawHeaders, body });
          res.locals.outcome = outcomeOf(resolution);
          if (resolution.kind !== 'refused' && resolution.limit !== undefined) setKeyLimit(res, resolution.limit);
          return resolution;
        } catch (error) {
          res.locals.outcome = 'caller_refused_error';
          throw error;
        }
      },
    });
    res.status(answered.status).setHeaders(answered.headers).send(answered.body);
  };

  const route = app.route('/graphql');
  route.post(express.raw({ type: () => true, limit: BODY_BYTES, inflate: false }), post);
  if (deps.config.graphql.explorer) route.get(explorer());
  route.all(methodNotAllowed('POST'));
}

/** For the request log: who is calling, or why nobody is. */
function outcomeOf(resolution: Resolution): RequestOutcome {
  if (resolution.kind === 'caller') return `caller_${resolution.caller.callerType}`;
  return `caller_refused_${resolution.kind === 'refused' ? resolution.reason : resolution.kind}`;
}

function readJson(req: Request, bytes: Buffer): unknown {
  try {
    return req.is('application/json') ? JSON.parse(bytes.toString('utf8')) : undefined;
  } catch (error) {
    return error;
  }
}
