/** The filters that are set, each of which can be removed. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAsked } from '../../../kit/answer.js';
import { Cut } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { place, setQuery } from '../../../kit/location.js';
import { Time } from '../../../kit/time.js';
import { ENDED_TOKEN, eventName, isEventType } from '../../events.js';
import { AuditPeople, AuditSession } from '../../operations.js';
import { type Chip, chipsOf, FIELD_NAMES, FIELDS, isUuid, THEFTS } from './filters.js';

interface Props {
  /** Names of keys and webhooks, as far as the shown events have them */
  names: ReadonlyMap<string, string>;
  /** Focuses something else, once no filter is left. */
  onNoneLeft(): void;
}

export function Chips({ names, onNoneLeft }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const removed = useRef<number>();
  const chips = chipsOf(place.value.query);
  const emails = useEmails(chips);

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
    <ul class="row chips" aria-label="Filters" ref={list}>
      {chips.map((chip, i) => {
        const { field, value } = chip;
        const words = emails?.get(value) ?? names.get(value) ?? wordsOf(chip);
        const isTime = (field === 'since' || field === 'until') && !Number.isNaN(Date.parse(value));
        return (
          <li key={`${field} ${value}`} class="chip" title={value}>
            <span>
              <span class="quiet">{FIELD_NAMES[field]}:</span>{' '}
              {isTime ? <Time at={value} form="exact" /> : <Cut text={words} />}
            </span>
            <button
              type="button"
              class="remove"
              aria-label={`Remove the filter ${FIELD_NAMES[field]}: ${words}`}
              onClick={() => {
                removed.current = i;
                setQuery({ [field]: chip.rest });
              }}
            >
              ×
            </button>
          </li>
        );
      })}
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

/** The e-mails of ids. What cannot be read is left out: the log itself says what is wrong. */
function useEmails(chips: Chip[]): Map<string, string> | undefined {
  const valuesOf = (...fields: string[]): string[] =>
    chips.filter(({ field, value }) => fields.includes(field) && isUuid(value)).map(({ value }) => value);
  const ids = valuesOf('userId', 'actorId', 'entityId');
  const [sid] = valuesOf('sessionId');
  return useAsked(`people ${ids} ${sid}`, async (signal) => {
    const emails = new Map<string, string>();
    const [people, told] = await Promise.all([
      ids.length > 0 ? ask(AuditPeople, { ids }, signal) : undefined,
      sid !== undefined ? ask(AuditSession, { id: sid }, signal).catch(() => undefined) : undefined,
    ]);
    for (const { id, email } of people?.users?.nodes ?? [])
      emails.set(ids.find((of) => of.toLowerCase() === id) ?? id, email);
    if (sid !== undefined && told?.session?.user != null)
      emails.set(sid, `…${sid.slice(-12)} of ${told.session.user.email}`);
    return emails;
  }).data;
}
