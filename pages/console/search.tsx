/** The search box: an e-mail, any id or an address, and where it leads. */
import { useRef, useState } from 'preact/hooks';
import { can } from '../kit/auth.js';
import { ask, type Operation, problemOf } from '../kit/graphql.js';
import { go, pathTo } from '../kit/location.js';
import { Problem } from '../kit/problem.js';
import { FindPerson, FindSession } from './operations.js';
import { AUDIT_LOG, KEYS, pathOfUser, USERS } from './paths.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const KEY = /^[ac]k_[0-9A-Za-z]{20}$/;
const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;
const IPV6 = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;

/** For users who may see more than their own sessions. */
export function SearchBox() {
  const [said, setSaid] = useState('');
  const latest = useRef('');
  if (!can('audit:read') || !can('users:read')) return null;

  const search = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const text = String(new FormData(form).get('search')).trim();
    if (text === '') return;
    setSaid('');
    latest.current = text;
    try {
      const path = await pathFor(text);
      if (latest.current !== text) return; // something else was searched for meanwhile
      go(path);
      const input = form.elements.namedItem('search') as HTMLInputElement;
      if (input.value.trim() === text) input.value = ''; // otherwise the next text is being typed
    } catch (error) {
      const problem = problemOf(error);
      setSaid(problem instanceof Problem ? problem.message : 'Something went wrong in this page.');
    }
  };

  return (
    <search>
      <form onSubmit={search}>
        <label class="unseen" for="search">
          Search
        </label>
        <input
          id="search"
          name="search"
          type="search"
          placeholder="E-mail, id, IP"
          autocomplete="off"
          spellcheck={false}
          aria-describedby="search-said"
        />
        <button type="submit" aria-label="Search">
          <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <circle cx="7" cy="7" r="4.5" />
            <path d="m10.5 10.5 4 4" />
          </svg>
        </button>
        <p id="search-said" role="alert" class="error">
          {said}
        </p>
      </form>
    </search>
  );
}

/**
 * Where a text leads: the page of a user, the story of a session, the history of a key, the events of an address, or the
 * users with it in their e-mail.
 * @throws {Problem} if nothing has this id
 */
async function pathFor(text: string): Promise<string> {
  if (IPV4.test(text) || IPV6.test(text)) return pathTo(AUDIT_LOG, { ipAddress: text });
  if (KEY.test(text)) return can('keys:read') ? pathTo(KEYS, { id: text }) : pathTo(AUDIT_LOG, { entityId: text });
  if (!UUID.test(text)) return pathTo(USERS, { search: text });
  const id = text.toLowerCase();
  const [person, session] = await Promise.all([found(FindPerson, id), found(FindSession, id)]);
  if (person?.user != null) return pathOfUser(person.user.id);
  if (session?.session != null) return pathTo(AUDIT_LOG, { sessionId: session.session.id });
  return pathTo(AUDIT_LOG, { entityId: id });
}

/** @returns undefined if nothing has the id */
async function found<Data>(operation: Operation<Data, { id: string | number }>, id: string): Promise<Data | undefined> {
  try {
    return await ask(operation, { id });
  } catch (error) {
    if (error instanceof Problem && /_unknown$/.test(error.reason ?? '')) return undefined;
    throw error;
  }
}
