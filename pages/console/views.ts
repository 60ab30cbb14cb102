/** The views: where they are, who sees them, and their code, which is loaded when they are first opened. */
import type { ComponentType } from 'preact';
import { can, type Scope } from '../kit/auth.js';
import { AUDIT_LOG, GATEWAY, KEYS, MY_SESSIONS, OVERVIEW, SESSIONS, USERS, WEBHOOKS } from './paths.js';

export interface View {
  /** Its path; a path with an id below it is that of one row */
  path: string;
  name: string;
  /** Undefined: for everybody */
  scope?: Scope;
  /** The letter that opens it after `g` */
  letter?: string;
  /** Shows one row: the id is in the path */
  isDetail?: boolean;
  load(): Promise<ComponentType<{ id: string }>>;
}

export const VIEWS: readonly View[] = [
  {
    path: OVERVIEW,
    name: 'Overview',
    letter: 'o',
    scope: 'audit:read',
    load: async () => (await import('./views/overview.js')).Overview,
  },
  {
    path: USERS,
    name: 'Users',
    letter: 'u',
    scope: 'users:read',
    load: async () => (await import('./views/users.js')).Users,
  },
  {
    path: USERS,
    name: 'User',
    scope: 'users:read',
    isDetail: true,
    load: async () => (await import('./views/user.js')).User,
  },
  {
    path: SESSIONS,
    name: 'Sessions',
    letter: 's',
    scope: 'sessions:read',
    load: async () => (await import('./views/all-sessions.js')).AllSessionsView,
  },
  {
    path: AUDIT_LOG,
    name: 'Audit log',
    letter: 'a',
    scope: 'audit:read',
    load: async () => (await import('./views/audit.js')).Audit,
  },
  {
    path: KEYS,
    name: 'Keys',
    letter: 'k',
    scope: 'keys:read',
    load: async () => (await import('./views/keys.js')).Keys,
  },
  {
    path: WEBHOOKS,
    name: 'Webhooks',
    letter: 'w',
    scope: 'webhooks:read',
    load: async () => (await import('./views/webhooks.js')).Webhooks,
  },
  {
    path: GATEWAY,
    name: 'Gateway',
    letter: 'g',
    scope: 'gateway:read',
    load: async () => (await import('./views/gateway.js')).Gateway,
  },
  {
    path: MY_SESSIONS,
    name: 'My sessions',
    letter: 'm',
    load: async () => (await import('./views/my-sessions.js')).MySessions,
  },
];

/** Whether the user may see it; the gateway decides all the same. */
export function isVisible({ scope }: View): boolean {
  return scope === undefined || can(scope);
}

/** Those in the navigation, which the user may see */
export const listedViews = (): View[] => VIEWS.filter((view) => !view.isDetail && isVisible(view));

/** The view of a path and the id in it; undefined if there is none. */
export function viewOf(path: string): { view: View; id: string } | undefined {
  const plain = path === '/console' || path === OVERVIEW ? OVERVIEW : path.replace(/\/$/, '');
  const listed = VIEWS.find((view) => !view.isDetail && view.path === plain);
  if (listed !== undefined) return { view: listed, id: '' };
  const [, parent, id = ''] = /^(.+)\/([^/]+)$/.exec(plain) ?? [];
  const detail = VIEWS.find((view) => view.isDetail && view.path === parent);
  return detail && { view: detail, id };
}
