/** The tables of docs/dashboards.md: limits and costs of an operation, and codes of errors. (Interface 7) */
import { LOCK_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../../../src/db/time-limits.js';
import { MAX_WAITING, MUCH_OF_ALL, OF_A_CALLER } from '../../../src/graphql/concurrency.js';
import * as limits from '../../../src/graphql/limits.js';
import type { CODES, DocumentCode } from '../../../src/graphql/reasons.js';
import { BODY_BYTES } from '../../../src/http/routes/graphql-route.js';
import { REQUEST_BUDGET_MS } from '../../../src/platform/budget.js';
import { table } from './table.js';

const seconds = (ms: number): string => `${ms / 1000} s`;
const count = (number: number): string => number.toLocaleString('en');

export function graphqlLimits(): string {
  const budget = seconds(REQUEST_BUDGET_MS);
  return table(
    ['limit', 'value', 'beyond it'],
    [
      ['body', `${BODY_BYTES / 1024} KiB, \`application/json\`, not compressed`, '413, 415'],
      ['tokens of the document (names, numbers, brackets)', count(limits.MAX_TOKENS), '400 `GRAPHQL_PARSE_FAILED`'],
      [
        'depth; aliases (fragments included)',
        `${limits.MAX_DEPTH}; ${limits.MAX_ALIASES}`,
        '400 `GRAPHQL_VALIDATION_FAILED`',
      ],
      ['cost', count(limits.MAX_COST), '400 `OPERATION_TOO_COSTLY`; nothing was read'],
      [
        'time',
        `${seconds(STATEMENT_TIMEOUT_MS)} of the database for one read, ${budget} of waiting in all`,
        `\`OPERATION_TOO_COSTLY\`, reason \`too_much_to_read\`; 503 if somebody locks a table for more than ${seconds(LOCK_TIMEOUT_MS)}`,
      ],
      [
        'fields of one caller at once',
        `${OF_A_CALLER} are read, ${MAX_WAITING} wait, at most ${budget}; changes do not wait for reads`,
        '429 `RATE_LIMITED`, reason `too_many_waiting`',
      ],
      [
        '`auditCounts`, `events`, and `users` by last login, all callers together',
        `${MUCH_OF_ALL} at once, the others wait, at most ${budget}`,
        'the same',
      ],
    ],
  );
}

export function graphqlCosts(): string {
  const fields = [
    `\`userAgent\` ${limits.COST_OF_USER_AGENT}`,
    `\`url\` ${limits.COST_OF_URL}`,
    `\`scopes\` ${limits.COST_OF_SCOPES}`,
    `\`eventTypes\` ${limits.COST_OF_EVENT_TYPES}`,
    `\`metadata\` ${limits.COST_OF_METADATA}`,
  ];
  return table(
    ['part of the query', 'cost'],
    [
      ['a field', `1; ${fields.join(', ')}`],
      [
        'a field of `Query` or `Mutation`; the `user` of a session, an event or an actor; the `sessionId` of an event',
        `${limits.STATEMENT_COST} more`,
      ],
      ['a page', `${limits.STATEMENT_COST}, plus \`first\` or \`last\` times a row: ${limits.ROW_COST} and its fields`],
      ['`totalCount`', `${count(limits.TOTAL_COST)} more`],
      ['`users` by `last_login_at`', `${count(limits.SORT_COST)} more`],
      ['the `checks` of `gateway`', count(limits.COST_OF_CHECKS)],
      ['the `events` of a session; `auditEvents` with the filter `sessionId`', `${count(limits.TIMELINE_COST)} more`],
      ['`auditCounts`', `${count(limits.COUNTS_COST)} more`],
    ],
  );
}

interface Row {
  statuses: number[];
  action: string;
}

type OurCode = (typeof CODES)[keyof typeof CODES];

const DOCUMENT: Row = { statuses: [400], action: 'Fix the document; `locations` has the place.' };

export const GRAPHQL_CODES: Record<OurCode | DocumentCode | 'PERSISTED_QUERY_NOT_SUPPORTED', Row> = {
  UNAUTHENTICATED: {
    statuses: [401],
    action: 'Send one valid credential: `WWW-Authenticate` lists the kinds, `Accept-Signature` how to sign.',
  },
  FORBIDDEN: { statuses: [200], action: 'Do not repeat: the caller may not.' },
  CONFIRMATION_REQUIRED: {
    statuses: [200],
    action:
      'Ask for the password, or a second factor if there is `acrValues`; send it to `POST /auth/confirm`, and repeat.',
  },
  NOT_FOUND: { statuses: [200], action: 'Nothing has this id.' },
  CONFLICT: { statuses: [200], action: 'Remove the obstacle, then repeat.' },
  BAD_USER_INPUT: { statuses: [200, 400], action: 'Fix the input in `argument`. 400: nothing was done.' },
  OPERATION_TOO_COSTLY: { statuses: [200, 400], action: 'Ask for less. 400: nothing was done.' },
  RATE_LIMITED: { statuses: [429], action: 'Wait for `Retry-After`.' },
  SERVICE_UNAVAILABLE: { statuses: [503], action: 'Wait for `Retry-After`.' },
  BAD_REQUEST: {
    statuses: [400, 405, 406, 408, 413, 415, 431],
    action: 'Fix the request: it is not GraphQL over HTTP.',
  },
  GRAPHQL_PARSE_FAILED: DOCUMENT,
  GRAPHQL_VALIDATION_FAILED: DOCUMENT,
  OPERATION_RESOLUTION_FAILURE: DOCUMENT,
  PERSISTED_QUERY_NOT_SUPPORTED: {
    statuses: [200],
    action: 'Send the document, as clients do by themselves.',
  },
  INTERNAL_SERVER_ERROR: { statuses: [200, 500], action: 'Give the operators the `X-Request-Id` of the answer.' },
};

export function graphqlCodes(): string {
  const rows = Object.entries(GRAPHQL_CODES).map(([code, { statuses, action }]) => {
    return [`\`${code}\``, statuses.join(', '), action];
  });
  return table(['code', 'status', 'what to do'], rows);
}
