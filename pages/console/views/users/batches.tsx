/** A change of many users: in parts of a request each, with its progress and its outcome. */
import { useRef, useState } from 'preact/hooks';
import { csvOf } from '../../../../src/platform/csv.js';
import { changeProblemOf } from '../../../kit/change.js';
import { download } from '../../../kit/download.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { Problem, shownProblem } from '../../../kit/problem.js';
import { Time } from '../../../kit/time.js';
import { IssueLinks } from '../../operations.js';

/** Users of one request: it is answered in well under a second. */
const PART = 50;

export interface Person {
  id: string;
  email: string;
  hasPassword: boolean;
}

/** Who was refused, and why */
export interface Refused {
  email: string;
  message: string;
}

export interface Link {
  email: string;
  /** Null if it is mailed */
  link: string | null;
  expiresAt: string;
}

export function parts<Item>(items: readonly Item[], size = PART): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );
}

/**
 * Does one part after the other. After a failure the next attempt goes on with the part that failed.
 * @returns what runs, and how many items are done
 */
export function useParts() {
  const [done, setDone] = useState(0);
  const next = useRef(0);
  const run = async <Item,>(all: readonly Item[][], act: (part: Item[]) => Promise<void>): Promise<void> => {
    const before = () => all.slice(0, next.current).flat().length;
    try {
      for (let part = all[next.current]; part !== undefined; part = all[next.current]) {
        setDone(before());
        await act(part);
        next.current += 1;
      }
      setDone(before());
    } catch (error) {
      const { message, isPassing, reason, argument } = shownProblem(changeProblemOf(error));
      const text = `Stopped after ${before().toLocaleString('en-GB')} of ${all.flat().length.toLocaleString('en-GB')}.`;
      throw new Problem(next.current === 0 ? message : `${text} ${message}`, isPassing, reason, argument);
    }
  };
  const restart = (): void => {
    next.current = 0;
    setDone(0);
  };
  return { done, run, restart };
}

export function Progress({ done, of }: { done: number; of: number }) {
  if (done === 0) return null;
  return (
    <div class="ending">
      <progress aria-label="Users done" value={done} max={of} />
      <span>
        {done.toLocaleString('en-GB')} of {of.toLocaleString('en-GB')} done
      </span>
    </div>
  );
}

/** Those who have a password get a reset, the others an invitation. @throws {Problem} */
export async function issueLinks(people: readonly Person[], deliver: boolean) {
  const links: Link[] = [];
  const refused: Refused[] = [];
  const emailOf = emailsOf(people);
  for (const purpose of ['invitation', 'reset'] as const) {
    const ids = people.filter(({ hasPassword }) => hasPassword === (purpose === 'reset')).map(({ id }) => id);
    if (ids.length === 0) continue;
    const { issuePasswordLinks: issued } = await ask(IssueLinks, { ids, purpose, deliver });
    if (issued == null) throw new Problem('The gateway sent no link.', false);
    links.push(...issued.links.map(({ userId, ...link }) => ({ email: emailOf(userId), ...link })));
    refused.push(...issued.refused.map(({ id, message }) => ({ email: emailOf(id), message })));
  }
  return { links, refused };
}

export function emailsOf(people: readonly Person[]): (id: string) => string {
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  return (id) => emails.get(id) ?? id;
}

/** The links that were not mailed, as a file; they are shown nowhere else. */
export function LinksFile({ links }: { links: readonly Link[] }) {
  const [first] = links;
  const shown = links.filter(({ link }) => link !== null);
  if (first === undefined) return null;
  const validity = (
    <>
      They work once, until <Time at={first.expiresAt} />
    </>
  );
  if (shown.length === 0) {
    return (
      <p>
        {count(links.length, 'link')} on the way by mail. {validity}.
      </p>
    );
  }
  const rows = shown.map(({ email, link, expiresAt }) => [email, link ?? '', expiresAt]);
  return (
    <>
      <p>
        Send each link to its user: whoever has it can choose the password. {validity}, and they are not shown again.
      </p>
      <p>
        <button
          type="button"
          onClick={() =>
            download('password-links.csv', 'text/csv', [csvOf([['email', 'link', 'expires_at'], ...rows])])
          }
        >
          Download {count(shown.length, 'link')} as CSV
        </button>
      </p>
    </>
  );
}

export function RefusedList({ refused }: { refused: readonly Refused[] }) {
  return (
    <ul class="refused">
      {refused.map(({ email, message }) => (
        <li key={email}>
          <Foreign text={email} />: {message}.
        </li>
      ))}
    </ul>
  );
}

/** `1 user`, `1,200 users` */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-GB')} ${noun}${number === 1 ? '' : 's'}`;
}
