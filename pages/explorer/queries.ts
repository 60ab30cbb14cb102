/** The tabs with which the explorer opens. */
export const FIRST_QUERY = `# Who is calling? Log in above, then press the Execute button (or Ctrl-Enter).
query WhoAmI {
  caller {
    callerType
    scopes
    ... on UserCaller { sub role }
  }
}
`;

export const QUERIES = [
  FIRST_QUERY,
  `# Where am I logged in?
query MySessions {
  me {
    email
    role
    sessions(live: true) {
      nodes { id startedAt lastUsedAt ipAddress userAgent isCurrent }
    }
  }
}
`,
  `# Which users are locked? Needs the scope users:read.
query LockedUsers {
  users(first: 20, filter: { isLocked: true }) {
    nodes { id email lockedUntil }
    pageInfo { hasNextPage endCursor }
  }
}
`,
  `# What happened recently? Needs the scope audit:read.
query AuditLog {
  auditEvents(first: 20) {
    nodes { eventType userId ipAddress createdAt metadata }
    pageInfo { hasNextPage endCursor }
  }
}
`,
];
