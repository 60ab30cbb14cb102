/** Every document that the client sends to `/graphql`. Gateways trust them always. (Interface 21 and 24) */
export const ME = '{ me { id email role } }';

export const SESSIONS =
  'query ($after: String) { me { sessions(live: true, first: 100, after: $after) { nodes ' +
  '{ id isCurrent startedAt lastUsedAt userAgent ipAddress } pageInfo { hasNextPage endCursor } } } }';

export const END_SESSION = 'mutation ($id: ID!) { revokeSession(input: { id: $id }) { session { id } } }';

export const END_OTHER_SESSIONS = 'mutation { revokeOtherSessions { revokedCount } }';

export const DEVICES = '{ me { devices { id createdAt lastUsedAt userAgent } } }';

export const FORGET_DEVICE = 'mutation ($id: ID!) { forgetDevice(input: { id: $id }) { __typename } }';
