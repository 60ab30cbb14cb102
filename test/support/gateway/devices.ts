/** Browsers with the cookie `device` of Interface 16. */
import type { Answer, Instance } from './gateway.js';
import { login } from './routes.js';

/** The value of the cookie that an answer sets, or undefined. */
export function deviceOf({ cookies }: Answer): string | undefined {
  return cookies.map((cookie) => /^device=([^;]*)/.exec(cookie)?.[1]).find(Boolean);
}

/** A login with this cookie. Without one, from a browser that nobody has logged in with. */
export function loginFrom(
  device: string | undefined,
  on: Pick<Instance, 'send'>,
  email: string,
  password?: string,
): Promise<Answer> {
  return login(on, email, password, device === undefined ? {} : { cookie: `device=${device}` });
}

/** Logs in, and so makes a device known. @returns its cookie @throws if the login fails */
export async function newDevice(on: Pick<Instance, 'send'>, email: string, device?: string): Promise<string> {
  const answer = await loginFrom(device, on, email);
  const value = deviceOf(answer);
  if (value === undefined) throw new Error(`no device: ${answer.status} ${answer.text}`);
  return value;
}
