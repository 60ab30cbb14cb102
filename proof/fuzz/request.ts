/** What every kind of request is made of, and what it is made from. */

import type { TestGateway } from '../../test/support/gateway/gateway.js';
import type { IssuedKey, SignedIn } from '../../test/support/gateway/graphql.js';
import type { Dice } from './dice.js';

export interface HttpRequest {
  method: string;
  path: string;
  /** Name and value of each line */
  headers: Array<[name: string, value: string]>;
  body: Buffer;
  /** Where the answer may hold what was sent: nowhere, in the data of a mutation, or it is not known */
  mayEcho: 'nowhere' | 'data' | 'anywhere';
  /** Of a question of a proxy: whether it has a valid credential, or is a preflight that its rule allows */
  mayPass?: boolean;
}

/** Bytes as they go over a connection of their own. */
export interface RawRequest {
  /** Written one after the other, with a turn of the event loop in between */
  pieces: Buffer[];
  /** What the client does then: waits for answers, or ends the connection politely or by a reset */
  then: 'waits' | 'ends' | 'resets';
  mayEcho: HttpRequest['mayEcho'];
}

export interface World {
  gateway: TestGateway;
  /** Host and port of the listener */
  host: string;
  /** Whose password requests know; administration never touches them */
  known: SignedIn;
  admin: SignedIn;
  /** What administration is tried on */
  targets: { userIds: string[]; sessionIds: string[]; keyIds: string[] };
  api: IssuedKey;
  cron: IssuedKey;
  /** Refresh tokens that were good when they were put here */
  refreshTokens: string[];
}

export type Make = (dice: Dice, world: World) => HttpRequest | RawRequest;

export const JSON_TYPE: [string, string] = ['Content-Type', 'application/json'];
