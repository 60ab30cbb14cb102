/** The three routes. Parse at the edge, decide in `auth/`, answer. (Spec 1 and 4) */
import type { Express, Request, RequestHandler, Response } from 'express';
import { login } from '../../auth/login.js';
import { logout } from '../../auth/logout.js';
import { refresh } from '../../auth/refresh.js';
import type { Deps } from '../../services.js';
import { LOGGED_OUT } from '../answer-texts.js';
import { crossSiteRefusal } from '../cross-site.js';
import { methodNotAllowed, sendError } from '../errors.js';
import { hasNoBody, parseBody } from '../json-body.js';
import { loginBody } from '../login-body.js';
import { loginPolicy, sessionRateLimit } from '../rate-limits.js';
import { retryKeysReader } from '../refresh-retry.js';
import { sendJson } from '../send-json.js';
import type { TokenAnswer } from '../token-answer.js';

type Dependencies = Deps<
  | 'clock'
  | 'config'
  | 'db'
  | 'keyring'
  | 'metrics'
  | 'passwords'
  | 'placeholderHashes'
  | 'redis'
  | 'refreshCounter'
  | 'repeats'
  | 'tokens'
>;

/** @param guards what a request with a password passes first */
export function addAuthRoutes(
  app: Express,
  deps: Dependencies,
  guards: RequestHandler[],
  tokenAnswer: TokenAnswer,
): void {
  const { config } = deps;
  const { cookie, deviceCookie, send } = tokenAnswer;
  const readRetryKeys = retryKeysReader(config);
  const refuseCrossSite = crossSiteRefusal(config);
  const limitSessions = sessionRateLimit(config.sessionRateLimit, deps);

  /** The services, within the budget of this request and with its ids in log lines. */
  const depsOf = ({ locals: { budget, ids } }: Response): Dependencies => ({
    ...deps,
    db: deps.db.within(budget),
    repeats: deps.repeats.of(ids),
  });

  /**
   * The distinct values of the cookie. Another program on `localhost` may have a cookie of this name, for the path `/`: next
   * to the only one that is ours, the others are ignored.
   */
  const readCookies = async (req: Request): Promise<string[]> => {
    const values = cookie.read(req);
    if (values.length < 2) return values;
    const unquoted = values.map((value) => value.replace(/^"(.*)"$/, '$1')); // RFC 6265 section 4.1.1
    const areOurs = await Promise.all(unquoted.map(deps.tokens.isOurs));
    const ours = values.filter((_, index) => areOurs[index]);
    return ours.length === 1 ? ours : values;
  };

  app
    .route('/auth/login')
    .post(guards, async (req: Request, res: Response) => {
      const parsed = parseBody(loginBody, req.body);
      if ('errors' in parsed) return sendError(res, 'body_invalid', parsed);
      using slot = deps.passwords.takeSlot(() => !req.socket.writable);
      const outcome = await login(depsOf(res), parsed.body, res.locals.origin, slot, deviceCookie?.read(req));
      if (outcome !== undefined) send(res, outcome);
    })
    .all(loginPolicy(config.login), methodNotAllowed('POST')); // so that asking for the policy costs no login

  app
    .route('/auth/refresh')
    .post(refuseCrossSite, limitSessions, discardBody, async (req, res) => {
      send(res, await refresh(depsOf(res), await readCookies(req), res.locals.origin, readRetryKeys(req)));
    })
    .all(methodNotAllowed('POST'));

  app
    .route('/auth/logout')
    .post(refuseCrossSite, limitSessions, discardBody, async (req, res) => {
      const cookies = await readCookies(req);
      const ended = await logout(depsOf(res), cookies, res.locals.origin);
      res.locals.outcome = ended ? 'success' : 'without_session';
      if (cookies.length > 1) cookie.clearEverywhere(res);
      else cookie.clear(res);
      sendJson(res, { message: LOGGED_OUT });
    })
    .all(methodNotAllowed('POST'));
}

/** Spec 4.2 and 4.3: no body. One that is sent is ignored, but must arrive whole before anything is done. */
const discardBody: RequestHandler = (req, _res, next) => {
  if (hasNoBody(req)) return next();
  req.once('end', next).resume();
};
