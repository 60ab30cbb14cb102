/** What the load sends: made ready before the time begins, so that sending costs little. */

/** A browser's: the gateway reads and stores about as much of each client. */
export const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** Requests as bytes. @param headers more than Host, User-Agent and Content-Length @param body of ASCII */
export function post(path: string, headers: Record<string, string>, body = ''): string {
  const all = { host: 'localhost:3000', 'user-agent': USER_AGENT, ...headers, 'content-length': String(body.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

export function get(path: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: 'localhost:3000', 'user-agent': USER_AGENT, ...headers });
  return `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** Which request comes next. `rotate`: a session's token, which the answer replaces. `expected`: part of each body */
export type Requests =
  | { kind: 'in-turn'; requests: string[]; expected?: string }
  | { kind: 'once'; requests: string[] }
  | { kind: 'rotate'; tokens: string[]; way: RotationWay };

/** How a refresh token is sent and comes back: in the gateway's cookie, or in the bodies of OAuth (RFC 6749 section 6). */
export type RotationWay = 'cookie' | 'oauth';

interface Rotation {
  request(token: string): string;
  /** The token that replaces it */
  successor(head: string, body: string): string | undefined;
}

export const OAUTH_CLIENT = 'bench';

export const ROTATIONS: Record<RotationWay, Rotation> = {
  cookie: {
    request: (token) => post('/auth/refresh', { cookie: `refresh_token=${token}` }),
    successor: (head) => /\r\nset-cookie: refresh_token=([^;]+)/i.exec(head)?.[1],
  },
  oauth: {
    request: (token) =>
      post(
        '/token',
        { 'content-type': 'application/x-www-form-urlencoded' },
        `grant_type=refresh_token&client_id=${OAUTH_CLIENT}&refresh_token=${token}`,
      ),
    successor: (_head, body) => (JSON.parse(body) as { refresh_token?: string }).refresh_token,
  },
};
