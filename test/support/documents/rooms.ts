/** The rooms of `src`: `test/architecture.rule.test.ts` holds the imports to them, docs/architecture.md prints them. */

/** The order of rooms, top to bottom. A room imports from the layers below its own, and from its own only what BESIDE allows. */
export const LAYERS = [
  ['main'],
  ['start'],
  ['cli'],
  ['http', 'graphql', 'doctor'],
  ['mail'],
  ['auth', 'callers', 'admin', 'archive', 'readiness', 'db/open'],
  ['outbox'],
  ['services'],
  ['audit', 'rate-limits'],
  ['listing'],
  ['credentials', 'db'],
  ['config'],
  ['domain'],
  ['platform'],
];

/** Rooms of one layer that may know another: `auth` and `callers` never meet, nor do `http` and `graphql`. */
export const BESIDE = ['admin -> auth'];
