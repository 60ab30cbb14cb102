/** The path `/graphql`: bytes and JSON here, the caller and the operation in `graphql/` (Interface 7). */
import express, { type Express, type Request, type RequestHandler } from 'express';
import type { AnswerGraphql, GraphqlRequest } from '../../callers/graphql-over-http.js';
import { presentedKind, presentedTypes } from '../../callers/kinds.js';
import { outcomeOf } from '../../callers/resolve-caller.js';
import type { Deps } from '../../services.js';
import { methodNotAllowed, sendError } from '../errors.js';
import { isJsonType } from '../json-type.js';
import { setKeyLimit } from '../rate-limits.js';
import { remembering } from '../remembering.js';
import { sendStream } from '../send-stream.js';
import { addExplorerFiles, explorerPage } from './explorer.js';

/** Interface 7 */
export const BODY_BYTES = 64 * 1024;

/** As Apollo writes them */
const ANSWERED = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];

export function addGraphqlRoute(app: Express, { config }: Deps<'config'>, answer: AnswerGraphql): void {
  const post: RequestHandler = async (req, res) => {
    const { method, originalUrl: target, rawHeaders } = req;
    const { locals } = res;
    const { budget, origin, ids } = locals;
    const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0); // as it came, for the signature
    const json = readJson(body);
    const presented = presentedTypes(rawHeaders);
    locals.caller = presentedKind(presented);
    const answered = await answer({
      ids,
      budget,
      origin,
      headers: req.headers,
      json,
      accepts: acceptedIn(req) || 'answer',
      isGone: () => req.socket.destroyed,
      onGone: (then) => void res.once('close', then),
      received: { method, authority: config.publicAuthority, target, rawHeaders, presented, body },
      resolved: (resolution) => {
        locals.outcome = outcomeOf(resolution); // one that does not compile lacks its word in `http/outcomes.ts`
        if (resolution.kind !== 'refused' && resolution.limit !== undefined) setKeyLimit(res, resolution.limit);
      },
    });
    const { status, headers, body: text } = answered;
    locals.outcome ??= status === 503 ? 'unavailable' : 'internal_error';
    const isOfHttp = status >= 500 || (status === 400 && json instanceof SyntaxError);
    res.status(status).setHeaders(new Map(headers));
    if (typeof text === 'string') return void res.send(isOfHttp ? withDetail(text) : text);
    await sendStream(res, text);
  };

  const route = app.route('/graphql');
  route.post(requireAccept, requireJson, express.raw({ type: () => true, limit: BODY_BYTES, inflate: false }), post);
  if (config.graphql.explorer) {
    route.get(explorerPage(config), methodNotAllowed('POST')); // a query, which comes by POST alone
    route.all(methodNotAllowed('GET', 'HEAD', 'POST'));
    addExplorerFiles(app);
  }
  route.all(methodNotAllowed('POST'));
}

const accepted = remembering<GraphqlRequest['accepts'] | ''>(100);

/** @returns empty if the client reads neither */
function acceptedIn(req: Request): GraphqlRequest['accepts'] | '' {
  const { accept } = req.headers;
  if (accept === undefined) return 'answer';
  return accepted(accept, () => {
    // By its name: who reads anything, as curl and fetch do, would wait for the end of a stream.
    const isStream = /\btext\/event-stream\b/i.test(accept) && req.accepts('text/event-stream') !== false;
    if (req.accepts(ANSWERED) !== false) return isStream ? 'both' : 'answer';
    return isStream ? 'stream' : '';
  });
}

/** Apollo would look at `Accept` only when a mutation has run, and its answer, perhaps a secret, be lost. */
const requireAccept: RequestHandler = (req, res, next) => {
  if (acceptedIn(req) !== '') return next();
  sendError(res, 'not_acceptable');
};

/** Apollo refuses only content types that a form of another site could send. */
const requireJson: RequestHandler = (req, res, next) => {
  if (isJsonType(req.get('content-type'))) next();
  else sendError(res, 'unsupported_media_type');
};

/** What is no fault of the operation has a `detail` too, as on the other routes (Interface 5). */
function withDetail(body: string): string {
  const answer = JSON.parse(body);
  return JSON.stringify({ detail: answer.errors[0].message, ...answer });
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    return error;
  }
}
