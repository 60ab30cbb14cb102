/** A part of the view Keys: the keys of one kind, or the one that was looked for. */

import { can } from '../../../kit/auth.js';
import { place, setQuery } from '../../../kit/location.js';
import type { Answer, Rows } from '../../../kit/rows.js';
import { Answered, Empty } from '../../../kit/states.js';
import { type Column, countText, List, Table } from '../../../kit/table.js';
import type { Key } from './key.js';

type Columns = ReadonlyArray<Column<Key> | false>;

const keyOf = ({ id }: Key): string => id;

interface KeySectionProps {
  title: string;
  /** What such a key is for */
  purpose: string;
  read: Rows<Key>;
  count: Parameters<typeof countText>[0];
  columns: Columns;
  /** The label of the button that creates one */
  create: string;
  onCreate(): void;
}

export function KeySection({ title, purpose, read, count, columns, create, onCreate }: KeySectionProps) {
  const { query } = place.value;
  const isFiltered = query.has('state') || query.has('service');
  return (
    <section class="keys" aria-label={title}>
      <div class="bar">
        <div>
          <h2>{title}</h2>
          <p class="quiet" role="status">
            {countText(count, 'key')}&nbsp;
          </p>
        </div>
        {can('keys:write') && (
          <button type="button" class="main" onClick={onCreate}>
            {create}
          </button>
        )}
      </div>
      <List
        caption={title}
        columns={columns}
        read={read}
        keyOf={keyOf}
        isMarked={({ id }) => id === query.get('id')}
        empty={isFiltered ? 'No key has this state and this service.' : `No key yet. ${purpose}`}
      />
    </section>
  );
}

interface OneKeyProps {
  id: string;
  /** What was found for an id, which may still be the one before */
  answer: Answer<{ id: string; key: Key | undefined }>;
  columns: Columns;
}

/** The key in the query of the page, whatever the filters say. */
export function OneKey({ id, answer: { data, problem }, columns }: OneKeyProps) {
  const close = (): void => {
    setQuery({ id: undefined });
    document.querySelector('h1')?.focus(); // the button is gone
  };
  return (
    <section class="keys" aria-label="The key that you looked for">
      <div class="bar">
        <h2>
          Key <bdi class="foreign">{id}</bdi>
        </h2>
        <button type="button" class="small" onClick={close}>
          Close
        </button>
      </div>
      <Answered answer={{ data: data?.id === id ? data : undefined, problem }}>
        {({ key }) =>
          key === undefined ? (
            <Empty>There is no key with this id.</Empty>
          ) : (
            <Table caption="The key that you looked for" columns={columns} rows={[key]} keyOf={keyOf} />
          )
        }
      </Answered>
    </section>
  );
}
