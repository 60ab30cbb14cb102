/** What each experiment does, and what holds afterwards: `npm run evidence` and docs/evidence.md print it. */
export const TITLES = {
  'refresh-races':
    'One refresh token is presented eight times at once to three instances, used ones next to rotations, and sessions end while a rotation waits for its commit. Exactly one answer is 200, and after a theft no token of the session is live.',
  browsers:
    'Chromium behind a proxy that delays, cuts and doubles refreshes, with tabs, reloads and closed pages. No session is lost, and no theft is reported.',
  lockout:
    'Wrong passwords from many addresses, 48 at a time, and right ones at the same moment as the last guess. Exactly five are answered 401, then the right one gets 429 too; right ones alone all pass.',
  'known-devices':
    '500 addresses guess without a pause while the owner logs in from a known device. The owner always gets in, and strangers have five guesses.',
  'link-races':
    'A password link is redeemed twice at once at two instances. One password is set, and no older session stays live.',
  'password-guesses':
    'Wrong passwords at `/auth/password` and at the login in turn. Exactly five are answered 401 or 403, then the right one gets 429 too.',
  'factor-races':
    'One code, one recovery code, one passkey ceremony or one half login is presented eight times at once to three instances, and a first factor is added during a login. Exactly one session starts, and none by the password alone.',
  'factor-guesses':
    'Wrong codes, recovery codes, passwords and confirmations, 48 at a time, from strangers and on a known device. Exactly five are answered 401 or 403, then what is right gets 429 too, also at the same moment as the last guess.',
  'factor-clocks':
    'Codes for two instances whose clocks are up to 90 s apart, at the end of a step, and while one is killed with -9 between check and answer. Each is good once, and a confirmation is there whole or not at all.',
  'confirmation-races':
    'A confirmation next to a theft, a logout, a deactivation or a rotation of its session, at three instances. After an end none counts, for changes or for new factors; a rotation loses none.',
  'account-races':
    'Changes of e-mails, ways back, new passwords, logins and deletions meet at three instances. A link works once, an address has one owner, nothing lives after a way back or a deletion, and an administrator stays.',
  gate: 'Sessions end by each of six ways, and one code of the gate is presented three times at once, at three instances. After an end no cookie, token or introspection counts anywhere, a live session is never refused, and a code is good once, at its origin, in its browser.',
  'trusted-documents':
    'Twins of trusted documents and of their ids are sent to three instances by every kind of caller, while files are exchanged, broken and poisoned, and instances killed with -9. None runs, none is parsed, and what a file has lost runs no more.',
  'limiter-postgresql':
    'Four times a limit at once, to three instances that count in PostgreSQL. Exactly the limit passes.',
  'limiter-redis': 'The same with counts in Redis.',
  replays:
    'A signed request six times at once, two keys with one nonce, and the same while the first waits for its commit. Each is accepted once.',
  kills:
    'A gateway, a postmaster or a backend is killed with -9 under load. Nothing that was acknowledged is lost or undone, no used token is taken for stolen, and each event is there once.',
  'kills-embedded': 'The same with the embedded database.',
  'lost-answers':
    "The database's answer to one statement is lost, before or after its commit. The answer is 503 with the cookie untouched, and no statement runs twice.",
  'kills-quiet':
    'The whole PostgreSQL is killed with -9 at the moment it acknowledges a login, rotation, logout or role change. None is lost.',
  'webhook-kills':
    'Gateways, receivers and PostgreSQL are killed with -9 while webhooks are sent. Each event arrives, signed, and a double has the same id.',
  'webhook-backlog':
    'A webhook is resumed when many events wait. Each arrives once and in order, and memory does not grow.',
  'live-audit':
    'Streams of the audit log are cut, gateways and PostgreSQL are killed with -9, transactions commit late, and a backlog comes. Each stream gives each event once and in the order of the log, and ends with the right of its caller.',
  'slow-receivers':
    'Receivers of webhooks answer after 0 to 20 s, with every kind of status. Each event is offered within a minute, at most four times, and not again once it is taken.',
  'slow-mail-servers':
    'Mail servers greet after up to 40 s, and answer a mail after up to 280 s. Each mail arrives once, and no other waits for it.',
  'silent-receivers': '99 receivers at one host never answer. Mail and the webhook of another host are not late.',
  backup: 'An export under load is restored elsewhere. Sessions live, logouts hold, and no session is in two states.',
  move: 'The database moves from embedded to external and back while browsers are logged in. None is signed out.',
  'faults-postgres':
    'PostgreSQL is stopped, frozen, killed, read-only, locked, out of connections or far away. Each answer is right, or 503 within 5 s, and a minute later everything works.',
  'faults-pgbouncer': 'The same for PgBouncer in front of PostgreSQL.',
  'faults-redis': 'The same for Redis.',
  'faults-host': 'The same for a wrong clock, and a log that cannot be written.',
  'faults-disk': 'The same for a full disk of PostgreSQL.',
  failovers:
    'Three nodes of Patroni and three members of etcd, as root: the primary is cut off, switched over, loses power or hangs. Nothing that was acknowledged is lost, and no answer is wrong or late.',
  'rolling-restarts-nginx':
    'Two instances behind nginx are restarted in turn under load. Every request is answered 200.',
  'rolling-restarts-haproxy':
    'Two instances behind HAProxy are restarted in turn under load. Every request is answered 200.',
  timing:
    'Refusals for known, unknown and inactive e-mails, for users with and without a second factor, and for known and unknown keys. Their times do not differ (Welch t below 4.5).',
  'timing-devices': 'The same for wrong passwords with a good, a forged and no entry of a known device.',
  'timing-forgot': 'The same for requests for a password link, below and beyond the limit of an e-mail.',
  'timing-email': 'The same for requests for a new e-mail that is taken, free or reserved.',
  'key-rotation': 'Keys rotate while verifiers cache the JWKS for ten minutes. Every live token verifies everywhere.',
  overload:
    'Ten times more logins than can be hashed. Memory stays below 300 MiB, and every login is answered within 5 s.',
  soak: 'Steady work. Memory, descriptors and connections do not grow, and sweeps delete nothing that is needed.',
  fuzz: 'Hostile requests, and tokens judged as `jose` judges them (`npm run fuzz`). No answer breaks a rule.',
  model:
    "The browser's client and the gateway in virtual time, with lost, late and doubled answers, and a thief with a copied cookie (`npm run model`). Only a thief or a logout ends a session.",
} as const;

export type ExperimentName = keyof typeof TITLES;
