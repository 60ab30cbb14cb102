/** The users that are selected in the list, and what can be done with all of them. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Foreign } from '../../../kit/foreign.js';
import { ask, problemOf } from '../../../kit/graphql.js';
import { shownProblem } from '../../../kit/problem.js';
import { type Column, type Count, countText } from '../../../kit/table.js';
import { ListUsers, type ListUsersQuery, type UserFilter } from '../../operations.js';
import { count, type Person } from './batches.js';
import { CHANGES, ChangeManyDialog, mayMake } from './change-many.js';

/** How many can be selected at once */
const MOST = 10_000;
const PAGE = 100;

export interface Selection {
  chosen: ReadonlyMap<string, Person>;
  /** The rows that are shown */
  rows: readonly Person[];
  filter: UserFilter;
  choose(people: readonly Person[]): void;
  leaveOut(people: readonly Person[]): void;
}

/** @param filter another one forgets the selection, which nobody would see any more */
export function useSelection(filter: UserFilter, rows: readonly Person[] = []): Selection {
  const key = JSON.stringify(filter);
  const [state, setState] = useState({ key, chosen: new Map<string, Person>() });
  const chosen = state.key === key ? state.chosen : new Map<string, Person>();
  const change = (edit: (next: Map<string, Person>) => void): void => {
    const next = new Map(chosen);
    edit(next);
    setState({ key, chosen: next });
  };
  return {
    chosen,
    rows,
    filter,
    choose: (people) =>
      change((next) => {
        for (const person of people) next.set(person.id, person);
      }),
    leaveOut: (people) =>
      change((next) => {
        for (const { id } of people) next.delete(id);
      }),
  };
}

export function tickColumn({ chosen, rows, choose, leaveOut }: Selection): Column<Person> {
  const isEach = rows.length > 0 && rows.every(({ id }) => chosen.has(id));
  const tick = (people: readonly Person[], isChosen: boolean, name: ComponentChildren) => (
    <label>
      <input type="checkbox" checked={isChosen} onChange={() => (isChosen ? leaveOut(people) : choose(people))} />
      <span class="unseen">{name}</span>
    </label>
  );
  return {
    name: 'Selection',
    isNameHidden: true,
    width: 'tick',
    head: tick(rows, isEach, 'Select the users shown'),
    cell: (user) =>
      tick(
        [user],
        chosen.has(user.id),
        <>
          Select <Foreign text={user.email} />
        </>,
      ),
  };
}

interface BarProps {
  selection: Selection;
  total: Count | null | undefined;
  /** Some of them are changed. */
  onChanged(): void;
}

export function SelectionBar({ selection: { chosen, rows, filter, choose, leaveOut }, total, onChanged }: BarProps) {
  const [change, setChange] = useState<(typeof CHANGES)[number]>();
  const [said, setSaid] = useState<string>();
  const people = [...chosen.values()];

  const chooseAll = async (): Promise<void> => {
    const all: Person[] = [];
    let after: string | null = null;
    try {
      do {
        setSaid(`Reading… ${count(all.length, 'user')}`);
        const { users }: ListUsersQuery = await ask(ListUsers, { first: PAGE, after, filter });
        all.push(...(users?.nodes ?? []));
        after = users?.pageInfo.hasNextPage ? users.pageInfo.endCursor : null;
      } while (after !== null && all.length < MOST);
      choose(all);
      setSaid(after !== null ? `Only the first ${count(all.length, 'user')} are selected.` : undefined);
    } catch (error) {
      setSaid(shownProblem(problemOf(error)).message);
    }
  };

  return (
    <>
      {people.length > 0 && (
        <section class="selection" aria-label="Selected users">
          <strong role="status">{count(people.length, 'user')} selected</strong>
          <div class="row-actions">
            {CHANGES.filter(mayMake).map((one) => (
              <button key={one.name} type="button" class={one.tone && 'bad-quiet'} onClick={() => setChange(one)}>
                {one.name}
              </button>
            ))}
            {rows.every(({ id }) => chosen.has(id)) && (total?.count ?? 0) > people.length && (
              <button type="button" class="small" onClick={chooseAll}>
                Select all {countText(total, 'user')}
              </button>
            )}
            <button type="button" class="small" onClick={() => leaveOut(people)}>
              Clear selection
            </button>
          </div>
          <span class="quiet">{said}</span>
        </section>
      )}
      {change !== undefined && (
        <ChangeManyDialog change={change} people={people} onChanged={onChanged} onClose={() => setChange(undefined)} />
      )}
    </>
  );
}
