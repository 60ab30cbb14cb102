/** The login limit by which a command judges addresses: that of the running gateway, which it asks. (Interface 9) */
import type { Config } from '../config/config.js';
import { localOrigin } from '../config/local-origin.js';
import { LOGIN_PATH, type LoginPolicy, parseLoginPolicy } from '../rate-limits/login-policy.js';

export interface LoginLimit extends LoginPolicy {
  /** Where the gateway of this environment listens */
  gateway: string;
  /** False if none answers there: the limit is that of this environment, and a running gateway may have another. */
  isRead: boolean;
}

const ANSWER_WITHIN_MS = 2_000;

export async function readLoginLimit(config: Config): Promise<LoginLimit> {
  const gateway = localOrigin(config);
  const policy = await ask(`${gateway}${LOGIN_PATH}`).catch(() => undefined);
  const { rateLimit, rateWindowSeconds } = policy ?? config.login;
  return { rateLimit, rateWindowSeconds, gateway, isRead: policy !== undefined };
}

/** @throws the error of the system, or that of the time limit */
async function ask(url: string): Promise<LoginPolicy | undefined> {
  const { httpGet } = await import('../platform/http-get.js');
  const answer = await httpGet(url, ANSWER_WITHIN_MS);
  answer.destroy();
  return parseLoginPolicy(answer.headers['ratelimit-policy']);
}

/** What was judged by, as the end of a sentence that begins with "by". */
export function judgeOf({ rateLimit, gateway, isRead }: LoginLimit): string {
  const setting = `LOGIN_RATE_LIMIT=${rateLimit}`;
  return isRead
    ? `${setting} of the gateway at ${gateway}`
    : `this shell's ${setting}, as no gateway answers at ${gateway}`;
}
