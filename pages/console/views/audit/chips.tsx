/** The filters that are set, each of which can be removed. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAnswer } from '../../../kit/answer.js';
import { Cut, Foreign } from '../../../kit/foreign.js';
import { place, setQuery } from '../../../kit/location.js';
import { Time } from '../../../kit/time.js';
import { ENDED_TOKEN, eventName, isEventType } from '../../events.js';
import { AuditPeople, AuditSession } from '../../operations.js';
import { type Chip, chipsOf, FIELD_NAMES, FIELDS, isUuid, THEFTS } from './filters.js';

interface Props {
  /** Names of keys and webhooks, as far as the shown events have them */
  nameOf(id: string): string | undefined;
  /** Focuses something else, once no filter is left. */
  onNoneLeft(): void;
}

export function Chips({ nameOf, onNoneLeft }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const removed = useRef<number>();
  const chips = chipsOf(place.value.query);

  useLayoutEffect(() => {
    if (removed.current === undefined) return;
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>('.chip button.remove');
    const next = buttons?.[Math.min(removed.current, buttons.length - 1)];
    removed.current = undefined;
    if (next === undefined) onNoneLeft();
    else next.focus();
  });

  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters" ref={list}>
      {chips.map((chip, i) => (
        <li key={`${chip.field} ${chip.value}`} class="chip">
          <span>
            <span class="quiet">{FIELD_NAMES[chip.field]}:</span> <ChipValue chip={chip} nameOf={nameOf} />
          </span>
          <button
            type="button"
            class="remove"
            aria-label={`Remove the filter ${FIELD_NAMES[chip.field]}: ${wordsOf(chip)}`}
            onClick={() => {
              removed.current = i;
              setQuery({ [chip.field]: chip.rest });
            }}
          >
            ×
          </button>
        </li>
      ))}
      {chips.length > 1 && (
        <li>
          <button
            type="button"
            class="small"
            onClick={() => {
              removed.current = 0;
              setQuery(Object.fromEntries(FIELDS.map((field) => [field, undefined])));
            }}
          >
            Remove all filters
          </button>
        </li>
      )}
    </ul>
  );
}

function wordsOf({ field, value }: Chip): string {
  if (field === 'isTheft') return THEFTS[value] ?? value;
  if (field !== 'eventTypes' || !isEventType(value)) return value;
  return value === 'token_theft' ? `${THEFTS['true']}, ${ENDED_TOKEN.toLowerCase()}` : eventName(value);
}

function ChipValue({ chip, nameOf }: { chip: Chip; nameOf: Props['nameOf'] }) {
  const { field, value } = chip;
  if ((field === 'since' || field === 'until') && !Number.isNaN(Date.parse(value))) return <Time at={value} isExact />;
  if (field === 'eventTypes' || field === 'isTheft') return <Cut text={wordsOf(chip)} />;
  if (field === 'email' || field === 'ipAddress') return <Cut text={value} />;
  return (
    <>
      <Cut text={value} />{' '}
      {field === 'sessionId' ? (
        isUuid(value) && <OfSession id={value} />
      ) : isUuid(value) ? (
        <OfPerson id={value} otherwise={nameOf(value)} />
      ) : (
        <InBrackets text={nameOf(value)} />
      )}
    </>
  );
}

/** What cannot be read is left out: the log itself says what is wrong. */
function OfPerson({ id, otherwise }: { id: string; otherwise: string | undefined }) {
  const { data } = useAnswer(AuditPeople, { ids: [id] });
  const person = data?.users?.nodes.find((user) => user.id === id.toLowerCase());
  return <InBrackets text={person?.email ?? otherwise} />;
}

function OfSession({ id }: { id: string }) {
  const { data } = useAnswer(AuditSession, { id });
  return <InBrackets text={data?.session?.user?.email} />;
}

function InBrackets({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <span class="quiet">
      (<Foreign text={text} />)
    </span>
  );
}
