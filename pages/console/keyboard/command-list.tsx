/** Everything by its name: views, what can be done, and users by their e-mail. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../kit/announce.js';
import { useAsked } from '../../kit/answer.js';
import { auth, can } from '../../kit/auth.js';
import { Foreign } from '../../kit/foreign.js';
import { ask, problemOf } from '../../kit/graphql.js';
import { go, pathTo } from '../../kit/location.js';
import { shownProblem } from '../../kit/problem.js';
import { ListUsers } from '../operations.js';
import { AUDIT_LOG, KEYS, pathOfUser, USERS, WEBHOOKS } from '../paths.js';
import { listedViews } from '../views.js';
import { opened, takeTypedAhead } from './keys.js';
import { Modal } from './modal.js';

interface Command {
  name: string;
  /** What it is: a view, an action, a user's role */
  kind: string;
  run(): void;
}

const USERS_SHOWN = 6;
/** How long the typing has to pause before users are asked for: milliseconds */
const PAUSE_MS = 150;

/** Actions open their dialog in the view that has it. */
function actions(): Command[] {
  const found: Array<[name: string, isAllowed: boolean, run: () => void]> = [
    ['Invite a user', can('users:write'), () => go(pathTo(USERS, { new: 'user' }))],
    ['Invite many people', can('users:write'), () => go(pathTo(USERS, { new: 'invite' }))],
    ['Import users', can('users:write'), () => go(pathTo(USERS, { new: 'import' }))],
    ['Create an API key', can('keys:write'), () => go(pathTo(KEYS, { new: 'API key' }))],
    ['Create a cron key', can('keys:write'), () => go(pathTo(KEYS, { new: 'cron key' }))],
    ['Create a webhook', can('webhooks:write'), () => go(pathTo(WEBHOOKS, { new: 'webhook' }))],
    ['Show failed logins', can('audit:read'), () => go(pathTo(AUDIT_LOG, { eventTypes: 'login_failure' }))],
    ['Show token thefts', can('audit:read'), () => go(pathTo(AUDIT_LOG, { eventTypes: 'token_theft' }))],
    ['Show locked users', can('users:read'), () => go(pathTo(USERS, { state: 'locked' }))],
    ['Show the keys of the keyboard', true, () => (opened.value = 'help')],
    ['Log out', true, logOut],
  ];
  return found.flatMap(([name, isAllowed, run]) => (isAllowed ? [{ name, kind: 'Action', run }] : []));
}

function logOut(): void {
  auth.logout().catch((error: unknown) => {
    if (auth.state().status === 'signed-in') announce(shownProblem(problemOf(error)).message);
  });
}

function commandsFor(text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/);
  const views = listedViews().map(({ name, path }) => ({ name, kind: 'View', run: () => go(path) }));
  return [...views, ...actions()].filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

/** Users with the text in their e-mail, once the typing pauses */
function useUsers(text: string): Command[] {
  const [wanted, setWanted] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setWanted(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isAsked = wanted.length > 1 && !/\s/.test(wanted) && can('users:read');
  const { data } = useAsked(`users ${isAsked ? wanted : ''}`, async (signal) => ({
    wanted,
    users: isAsked ? (await ask(ListUsers, { first: USERS_SHOWN, filter: { search: wanted } }, signal)).users : null,
  }));
  if (data?.wanted !== text) return []; // of another text
  return (data.users?.nodes ?? []).map(({ id, email, role }) => ({
    name: email,
    kind: role,
    run: () => go(pathOfUser(id)),
  }));
}

/** A combobox with a list box (ARIA APG): the focus stays in the field. */
export function CommandList({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const wanted = text.trim();
  const commands = [...commandsFor(wanted), ...useUsers(wanted)];
  const chosen = Math.min(at, commands.length - 1);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -chosen, End: -1 - chosen };
    const step = steps[event.key];
    if (event.key === 'Enter') run(commands[chosen]);
    else if (step === undefined || commands.length === 0) return;
    else setAt((chosen + step + commands.length) % commands.length);
    event.preventDefault();
  };
  useEffect(() => setText((typed) => takeTypedAhead() + typed), []); // now the field has the keys
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen one is scrolled to
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, text]);
  return (
    <Modal label="Commands" class="commands" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Command, view or e-mail"
        aria-expanded="true"
        aria-controls="commands-list"
        aria-autocomplete="list"
        aria-activedescendant={chosen < 0 ? undefined : `command-${chosen}`}
        placeholder="Command, view or e-mail"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <div id="commands-list" role="listbox" aria-label="Commands" tabIndex={-1} ref={list}>
        {commands.map((command, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          <div
            key={`${command.kind} ${command.name}`}
            id={`command-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === chosen}
            onClick={() => run(command)}
          >
            <Foreign text={command.name} /> <span class="quiet">{command.kind}</span>
          </div>
        ))}
      </div>
      <p class="quiet" role="status">
        {commands.length === 0 && 'Nothing has this name.'}
      </p>
    </Modal>
  );
}
