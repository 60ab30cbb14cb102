/** The address of `/gate`, and its reading: where a browser is to return to, and by which browser. (Interface 22) */
import type { Request } from 'express';
import type { WantedProof } from '../callers/step-up.js';
import type { Config } from '../config/config.js';
import { TARGET } from './authz/original-request.js';

export const GATE_PATH = '/gate';

/** Of a path and query: proxies and browsers take this much in an address */
const TARGET_CHARACTERS = 2_048;

export interface Leaving extends WantedProof {
  /** Of the service */
  origin: string;
  /** Path and query there */
  target: string;
  /** Without it the browser asks the service again, once there is a session */
  state?: string;
  /** Why the way back did not work */
  problem?: 'code';
}

/** A target that is too long is left out: the browser returns to the start of the service. */
export function gateUrl(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { origin, target, state, problem, acr, maxAgeSeconds }: Leaving,
): string {
  const query = new URLSearchParams({
    origin,
    target: isTarget(target) ? target : '/',
    ...(state !== undefined && { state }),
    ...(acr !== undefined && { acr }),
    ...(maxAgeSeconds !== undefined && { max_age: String(maxAgeSeconds) }),
    ...(problem !== undefined && { problem }),
  });
  return `${publicUrl}${GATE_PATH}?${query}`;
}

/** True if the address leads to a service of FORWARD_AUTH_ORIGINS. */
export function leadsToService({ query }: Request, origins: ReadonlySet<string>): boolean {
  const { origin, target } = query;
  return typeof origin === 'string' && origins.has(origin) && typeof target === 'string' && isTarget(target);
}

export function isTarget(text: string): boolean {
  return text.length <= TARGET_CHARACTERS && TARGET.test(text);
}
