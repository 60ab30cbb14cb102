/** Two dashboard programs with generated types, one with Apollo Client, one with urql. `clients.js URL TOKEN` */
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import {
  type AuditEventType,
  AuditLogDocument,
  type AuditLogQuery,
  CreateCronKeyDocument,
  RevokeCronKeyDocument,
  type Role,
  UsersDocument,
  type UsersQuery,
  WhoAmIDocument,
  type WhoAmIQuery,
} from './generated.js';

const [, , url = '', token = ''] = process.argv;
const headers = { authorization: `Bearer ${token}` };

/** Does not compile if a type is `any`, which would fit everywhere. */
type Known<T> = 0 extends 1 & T ? never : T;
export type AllKnown = [
  Known<WhoAmIQuery['caller']['scopes'][number]>,
  Known<NonNullable<WhoAmIQuery['me']>['createdAt']>,
  Known<NonNullable<UsersQuery['users']>['edges'][number]['node']['lockedUntil']>,
  Known<NonNullable<AuditLogQuery['auditEvents']>['nodes'][number]['metadata'][string]>,
];
const _role: Role = 'analyst';
const _type: AuditEventType = 'token_theft';

const apollo = new ApolloClient({ link: new HttpLink({ uri: url, headers }), cache: new InMemoryCache() });
const urql = new Client({ url, exchanges: [fetchExchange], preferGetMethod: false, fetchOptions: { headers } });

const who = await apollo.query({ query: WhoAmIDocument });
const made = await apollo.mutate({
  mutation: CreateCronKeyDocument,
  variables: { input: { serviceName: 'by Apollo Client', scopes: ['a:b'] } },
});
const key = made.data?.createCronKey?.cronKey;

const emails: string[] = [];
for (let after: string | null | undefined, more = true; more; ) {
  const { data, error } = await urql.query(UsersDocument, { first: 1, after });
  if (error !== undefined) throw error;
  emails.push(...(data?.users?.edges.map(({ node }) => node.email) ?? []));
  ({ endCursor: after, hasNextPage: more } = data?.users?.pageInfo ?? { endCursor: null, hasNextPage: false });
}
const ended = await urql.mutation(RevokeCronKeyDocument, { input: { id: key?.id ?? '' } });
const log = await urql.query(AuditLogDocument, { filter: { eventTypes: ['cron_key_created', 'cron_key_revoked'] } });

process.stdout.write(
  JSON.stringify({
    caller: who.data?.caller.callerType,
    session: who.data?.me?.sessions.nodes[0]?.isCurrent,
    scopes: key?.scopes,
    emails,
    revoked: typeof ended.data?.revokeCronKey?.cronKey.revokedAt,
    events: log.data?.auditEvents?.nodes.map(({ eventType, metadata }) => [eventType, typeof metadata['key_id']]),
  }),
);
