/** A model of two users, their e-mails, links and reservations, and what the tables should say of them. (Interface 21) */
import { startUnmailed } from '../support/gateway/account.js';
import { type Answer, type Instance, PASSWORD, type TestGateway } from '../support/gateway/gateway.js';

const HOURS_72_MS = 259_200_000;
const MINUTES_30_MS = 1_800_000;
const FRESH_MS = 300_000;
const ACCESS_TOKEN_SECONDS = 604_800;

export let gateway: TestGateway;
let turn = 0;

export async function start(): Promise<void> {
  const env = { ACCESS_TOKEN_TTL_SECONDS: String(ACCESS_TOKEN_SECONDS), REFRESH_TOKEN_TTL_SECONDS: '31536000' };
  gateway = await startUnmailed({ instances: 2, env });
}

export const stop = (): Promise<void> => gateway.close();

/** Each request goes to the other instance. */
export function on(): Instance {
  turn += 1;
  return gateway.instances[turn % 2] ?? gateway;
}

const now = (): number => gateway.clock.now().getTime();

interface Link {
  token: string;
  email: string;
  endsAt: number;
}

export interface Person {
  id: string;
  email: string;
  password: string | undefined;
  isActive: boolean;
  /** The latest; `endsAt` is that of its access token */
  session: { accessToken: string; provedAt: number; endsAt: number } | undefined;
  pending: Link | undefined;
  /** Ways back, the oldest first */
  waysBack: Link[];
}

export interface Model {
  people: Person[];
  /** Addresses that somebody may want, with those of the beginning */
  addresses: string[];
  /** Every link that there was, the newest first */
  tokens: string[];
}

let worlds = 0;

export async function newModel(): Promise<Model> {
  worlds += 1;
  const addresses = ['a', 'b', 'c', 'd'].map((name) => `${name}${worlds}@example.net`);
  const people: Person[] = [];
  for (const email of addresses.slice(0, 2)) {
    const { id } = await gateway.user({ email });
    people.push({
      ...{ id, email, password: PASSWORD, isActive: true, session: undefined, pending: undefined, waysBack: [] },
    });
  }
  return { people, addresses, tokens: [] };
}

export type Expected = string;
export const came = ({ status, json }: Answer): Expected =>
  status < 300 ? String(status) : `${status} ${json.reason}`;

export const DEAD = '401 link_invalid';
export const TAKEN = '409 email_taken';

const isAlive = (link: Link): boolean => link.endsAt > now();

/** @param person for whom it would be @returns whether another user has it, or had it within 72 hours */
export function isTaken({ people }: Model, email: string, person?: Person): boolean {
  const others = people.filter((one) => one !== person);
  return others.some(
    (one) => one.email === email || one.waysBack.some((link) => isAlive(link) && link.email === email),
  );
}

/** The refusal of somebody without a live session, or without a fresh one. */
export function refusalOf({ session, isActive }: Person, isFresh: boolean): Expected | undefined {
  if (session === undefined || session.endsAt <= now() || !isActive) return '401 invalid_token';
  return isFresh && session.provedAt + FRESH_MS <= now() ? '401 confirmation_required' : undefined;
}

export function enter(person: Person, { json }: Answer): void {
  const endsAt = now() + ACCESS_TOKEN_SECONDS * 1000;
  person.session = { accessToken: json.access_token, provedAt: now(), endsAt };
}

export function beginChange(person: Person, email: string, token: string): void {
  person.pending = { token, email, endsAt: now() + MINUTES_30_MS };
}

/** @returns the change that the token completes */
export function pendingBy({ pending }: Person, token: string): Link | undefined {
  return pending !== undefined && pending.token === token && isAlive(pending) ? pending : undefined;
}

export function completeChange(person: Person, email: string, wayBack: string): void {
  person.waysBack.push({ token: wayBack, email: person.email, endsAt: now() + HOURS_72_MS });
  person.email = email;
  person.pending = undefined;
}

/** @returns whose change the token takes back, and to which address */
export function wayBackBy({ people }: Model, token: string): { person: Person; link: Link } | undefined {
  for (const person of people) {
    const link = person.waysBack.find((one) => one.token === token && isAlive(one));
    if (link !== undefined) return { person, link };
  }
  return undefined;
}

export function takeBack(person: Person, link: Link): void {
  person.email = link.email;
  person.waysBack = person.waysBack.slice(0, person.waysBack.indexOf(link));
  person.pending = undefined;
  person.session = undefined;
  person.password = undefined;
}

export function endLinks(person: Person): void {
  person.pending = undefined;
  person.waysBack = [];
}

interface Stored {
  email: string;
  has_password: boolean;
  pending: string | null;
  ways_back: string[];
  sessions: boolean;
}

/** What the tables say, as requests would see it. */
export async function stored({ people }: Model): Promise<Stored[]> {
  const ids = people.map(({ id }) => id);
  return gateway.rows<Stored & { id: string }>(
    `select email, password_hash is not null as has_password,
       (select email_changes.email from email_changes where user_id = users.id and expires_at > $2
         and email_changes.password_version = users.password_version) as pending,
       array(select email_undos.email from email_undos where user_id = users.id and expires_at > $2 order by id) as ways_back,
       exists (select from refresh_tokens where user_id = users.id and not revoked) as sessions
     from users where id = any ($1) order by array_position($1, id)`,
    [ids, gateway.clock.now()],
  );
}

export function expectedOf({ people }: Model): Stored[] {
  return people.map(({ email, password, pending, waysBack, session }) => ({
    email,
    has_password: password !== undefined,
    pending: pending !== undefined && isAlive(pending) ? pending.email : null,
    ways_back: waysBack.filter(isAlive).map((link) => link.email),
    sessions: session !== undefined,
  }));
}

/** Addresses that one user has while they are reserved for another */
export function stolen(): Promise<object[]> {
  return gateway.rows(
    `select users.email from users join email_undos on users.email = email_undos.email and users.id <> user_id
     where expires_at > $1`,
    [gateway.clock.now()],
  );
}
