/** Requests to the gateway, and times in words. */

/** The gateway answers within 5 s. */
const ANSWER_MS = 15_000;

/**
 * Sends the body as JSON, and no cookie.
 * @throws if no answer came
 */
export function post(path: string, body: object): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'omit',
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
}

export const NO_ANSWER = 'No answer came. Check your connection, then try again.';
export const UNAVAILABLE = 'The service is not available at the moment. Try again in a minute.';

/** For a 429 */
export function tooMany({ headers }: Response): string {
  const seconds = Number(headers.get('retry-after')); // 0 or NaN if the answer does not say
  const wait = seconds > 0 ? durationText(Math.ceil(seconds / 60) * 60) : 'a few minutes';
  return `There were too many attempts. Wait ${wait}, then try again.`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Rounded down, in the largest unit of which there are at least two: `30 minutes`, `90 minutes`, `2 hours` */
export function durationText(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds >= 2 * each) ?? UNITS[2];
  const count = Math.floor(seconds / size);
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}
