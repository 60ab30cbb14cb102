/** CONTRACT 7: the path `/graphql`. Bytes, JSON and the caller's credential here; what is asked, in `graphql/`. */
import express, { type Request, type RequestHandler, type Router } from 'express';
import type { CallerRequest, Resolution } from '../callers/caller.js';
import type { CallerDependencies } from '../callers/dependencies.js';
import { resolveCaller } from '../callers/resolve-caller.js';
import type { Config } from '../config.js';
import type { AnswerGraphql, GraphqlRequest } from '../graphql-over-http.js';
import type { Client } from '../remote-client.js';
import { methodNotAllowed } from './errors.js';
import { explorer } from './explorer.js';

/** CONTRACT 7 */
export const BODY_BYTES = 64 * 1024;

export type GraphqlRouteDependencies = CallerDependencies & { config: Config; readClient(req: Request): Client };

export function graphqlRoute(deps: GraphqlRouteDependencies, answer: AnswerGraphql): Router {
  const post: RequestHandler = async (req, res) => {
    const bytes = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0); // kept as they came, for the signature
    const { headers, method, originalUrl: target, rawHeaders } = req;
    const resolve = async (request: CallerRequest): Promise<Resolution> => {
      try {
        const resolution = await resolveCaller(deps, request);
        res.locals['outcome'] = outcomeOf(resolution);
        return resolution;
      } catch (error) {
        res.locals['outcome'] = 'caller_refused_error';
        throw error;
      }
    };
    const answered = await answer({
      ...readJson(req, bytes),
      requestId: res.locals['requestId'],
      client: deps.readClient(req),
      headers,
      isGone: () => req.socket.destroyed,
      resolveCaller: () => resolve({ method, target, rawHeaders, body: bytes }),
    });
    res.status(answered.status).setHeaders(answered.headers).send(answered.body);
  };

  const router = express.Router({ caseSensitive: true, strict: true });
  const route = router.route('/graphql');
  route.post(express.raw({ type: () => true, limit: BODY_BYTES, inflate: false }), post);
  if (deps.config.graphql.landingPage) route.get(explorer());
  route.all(methodNotAllowed('POST'));
  return router;
}

/** For the request log: who is calling, or why nobody is. */
function outcomeOf(resolution: Resolution): string {
  if (resolution.kind === 'caller') return `caller_${resolution.caller.callerType}`;
  return `caller_refused_${resolution.kind === 'refused' ? resolution.reason : resolution.kind}`;
}

function readJson(req: Request, bytes: Buffer): Pick<GraphqlRequest, 'json' | 'isBroken'> {
  if (!req.is('application/json')) return { json: undefined, isBroken: false };
  try {
    return { json: JSON.parse(bytes.toString('utf8')), isBroken: false };
  } catch {
    return { json: undefined, isBroken: true };
  }
}
