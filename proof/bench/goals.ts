/** What is compared with what, and the goals. An absolute goal is of the machine that it was set on; a ratio is of any. */
import { CONNECTIONS, JUDGED, type Row } from './work.js';

export type Figure = Exclude<keyof Row, 'what' | 'connections'>;

/** A figure of one thing at a number of connections */
export interface Of {
  what: string;
  figure: Figure;
  connections?: number | undefined;
}

export interface Goal {
  what: string;
  /** In the table; else that of `of` */
  connections?: number;
  of: Of;
  /** With what it is compared, in the slice next to it */
  to?: Of;
  /** How it is compared; `divided` by default */
  by?: 'divided' | 'minus';
  /** In the table the value is so many times as large */
  scale?: number;
  /** Neither is there if the value is only shown. */
  least?: number;
  most?: number;
}

const at =
  (connections: number | undefined) =>
  (what: string, figure: Figure): Of => ({ what, figure, connections });
const judged = at(JUDGED);
const alone = at(undefined);

/** The goal at 64 connections, and the value at the others. */
function rates(what: string, left: string, right: string, least: number): Goal[] {
  return CONNECTIONS.map((connections) => ({
    what,
    of: at(connections)(left, 'rate'),
    to: at(connections)(right, 'rate'),
    ...(connections === JUDGED && { least }),
  }));
}

/** What a webhook costs while nothing happens: percent of a core */
function idleOutbox(whose: string, figure: Figure): Goal {
  return {
    what: `idle outbox, ${whose}, % of a core`,
    of: alone('idle second with a webhook', figure),
    to: alone('idle second without webhooks', figure),
    by: 'minus',
    scale: 100 / 1e6,
    most: 1,
  };
}

export const GOALS: readonly Goal[] = [
  ...rates('refresh / bare statement', 'refresh', 'statement', 0.9),
  ...rates('refresh / node-oidc-provider', 'refresh', 'peer', 3),
  {
    what: 'refresh / Better Auth moves the end of a session, without rotation',
    of: judged('refresh', 'rate'),
    to: judged('better-auth-renewed', 'rate'),
    least: 5,
  },
  { what: 'refresh, gateway µs', of: judged('refresh', 'serverUs'), most: 110 },
  { what: 'refresh, PostgreSQL µs', of: judged('refresh', 'postgresUs'), most: 60 },
  // The same on any machine: where these two were set, the statement took 140 µs of PostgreSQL.
  {
    what: "refresh, gateway / bare statement's PostgreSQL",
    of: judged('refresh', 'serverUs'),
    to: judged('statement', 'postgresUs'),
    most: 0.79,
  },
  {
    what: "refresh, PostgreSQL / bare statement's PostgreSQL",
    of: judged('refresh', 'postgresUs'),
    to: judged('statement', 'postgresUs'),
    most: 0.43,
  },
  {
    what: 'refresh while 1 % of the traces are sampled / without traces, CPU of the gateway',
    of: judged('refresh-traced', 'serverUs'),
    to: judged('refresh-untraced', 'serverUs'),
    most: 1.03,
  },
  { what: 'logout / refresh', of: judged('logout', 'rate'), to: judged('refresh', 'rate'), least: 1 },
  ...[16, 64].map(
    (connections): Goal => ({
      what: 'login: CPU without the hash, ms',
      of: at(connections)('login', 'besideHashUs'),
      scale: 1 / 1000,
      most: 2.5,
    }),
  ),
  { what: 'logins by passkey, a second', of: judged('login-passkey', 'rate'), least: 1_500 },
  {
    what: 'login by passkey, CPU / bare Express route that verifies ES256',
    of: judged('login-passkey', 'serverUs'),
    to: judged('express-verifying', 'serverUs'),
  },
  { what: 'refresh next to 64 logins, p99 ms', of: at(16)('refresh next to 64 logins', 'p99Ms'), most: 50 },
  ...rates('caller by token / bare Apollo', 'caller-token', 'apollo', 0.5),
  {
    what: 'caller by the id of a trusted document / by text, CPU of the gateway',
    of: judged('caller-document', 'serverUs'),
    to: judged('caller-token', 'serverUs'),
    most: 1.05,
  },
  {
    what: 'caller by first-sight token / bare Apollo',
    of: judged('caller-token-first', 'rate'),
    to: judged('apollo', 'rate'),
  },
  {
    what: 'caller by signature / bare Apollo',
    of: judged('caller-signature', 'rate'),
    to: judged('apollo', 'rate'),
    least: 0.35,
  },
  {
    what: "proxy's question by token, CPU / bare Express route that signs",
    of: judged('proxy-token', 'serverUs'),
    to: judged('express-signing', 'serverUs'),
    most: 1,
  },
  {
    what: 'the same minus a question that needs no check, µs',
    of: judged('proxy-token', 'serverUs'),
    to: judged('proxy-preflight', 'serverUs'),
    by: 'minus',
  },
  {
    what: 'the same without an assertion / bare Express route',
    of: judged('proxy-token-plain', 'serverUs'),
    to: judged('express', 'serverUs'),
  },
  {
    what: 'the same by first-sight token / bare Express route that signs',
    of: judged('proxy-token-first', 'serverUs'),
    to: judged('express-signing', 'serverUs'),
  },
  {
    what: "page's question by cookie / by token, CPU of the gateway",
    of: judged('proxy-cookie', 'serverUs'),
    to: judged('proxy-token', 'serverUs'),
    most: 1.3,
  },
  {
    what: 'the same by token with `live=on` / without',
    of: judged('proxy-token-live', 'serverUs'),
    to: judged('proxy-token', 'serverUs'),
  },
  {
    what: "proxy's question with `live=on` / Better Auth reads a session",
    of: judged('proxy-token-live', 'rate'),
    to: judged('better-auth', 'rate'),
    least: 5,
  },
  {
    what: "proxy's question without an assertion / Better Auth believes its cookie cache",
    of: judged('proxy-token-plain', 'rate'),
    to: judged('better-auth-cached', 'rate'),
    least: 3,
  },
  { what: 'start until ready, ms', of: alone('start until ready', 'medianMs'), most: 400 },
  { what: 'command, ms', of: alone('command `user list`', 'medianMs'), most: 500 },
  { what: 'events to one webhook, a second', of: alone('webhooks', 'rate'), least: 300 },
  { what: 'event until its webhook has it, p99 ms', of: alone('webhooks-steady', 'p99Ms'), most: 2_000 },
  idleOutbox('gateway', 'serverUs'),
  idleOutbox('PostgreSQL', 'postgresUs'),
];

/** Anonymous memory of the gateway: MB */
export const MOST_AT_REST_MB = 90;
export const MOST_UNDER_LOAD_MB = 160;
/** The same after the last round, divided by that after the first */
export const MOST_GROWTH = 1.05;
