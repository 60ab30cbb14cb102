/** A list of audit events: a sentence each, by day, with the details on demand. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { Copyable } from '../kit/copy.js';
import { Device, deviceText } from '../kit/device.js';
import { Id } from '../kit/foreign.js';
import { Link, pathTo } from '../kit/location.js';
import { dayName, Time, utcText } from '../kit/time.js';
import { useUniqueId } from '../kit/unique-id.js';
import { ActorName, EventSentence, fieldsOf, nameInMetadata } from './event-words.js';
import { type Event, nameOf, Origin, toneOf } from './events.js';
import { AUDIT_LOG } from './paths.js';

interface EventListProps {
  /** Names the list for screen readers */
  caption: string;
  events: readonly Event[];
  /** Marks an event that has just come */
  isNew?: (event: Event) => boolean;
  /** Of the last visit: a line is between what came since and the rest */
  seenAt?: string | undefined;
}

export function EventList({ caption, events, isNew, seenAt = '' }: EventListProps) {
  const names = namesIn(events);
  let day = '';
  return (
    <ol class="events sheet" aria-label={caption}>
      {events.map((event, i) => {
        const before = day;
        day = dayName(new Date(event.createdAt));
        const isSeen = event.createdAt <= seenAt && (events[i - 1]?.createdAt ?? '') > seenAt;
        return (
          <li key={event.id} class="event">
            {isSeen && (
              <p class="since">
                New since your last visit, <Time at={seenAt} form="clock" />
              </p>
            )}
            {day !== before && <h3>{day}</h3>}
            <EventRow event={event} isNew={isNew?.(event) ?? false} nameOfEntity={(id) => names.get(id)} />
          </li>
        );
      })}
    </ol>
  );
}

/** The names of keys and webhooks, as far as events have them. */
export function namesIn(events: readonly Event[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const event of events) {
    const name = nameInMetadata(event);
    if (event.entityId !== null && name !== undefined) names.set(event.entityId, name);
  }
  return names;
}

interface RowProps {
  event: Event;
  isNew: boolean;
  nameOfEntity(id: string): string | undefined;
}

function EventRow({ event, isNew, nameOfEntity }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useUniqueId();
  const { actor, ipAddress, userAgent, createdAt } = event;
  const tone = toneOf(event);
  const device = userAgent === null ? undefined : deviceText(userAgent);
  return (
    <>
      <div class={`event-row${isNew ? ' marked' : ''}`}>
        <span class={`event-mark ${tone ?? ''}`} aria-hidden="true" />
        <p class={tone === 'quiet' ? 'quiet' : undefined} id={id}>
          <EventSentence event={event} nameOfEntity={nameOfEntity} />
          {actor === null && ipAddress !== 'gateway' && (
            <span class="quiet">
              {' '}
              from <Origin ipAddress={ipAddress} />
              {device !== undefined && `, ${device}`}
            </span>
          )}
        </p>
        <Time at={createdAt} form="hour" />
        <button
          type="button"
          class="event-open"
          aria-expanded={isOpen}
          aria-label={`Details: ${nameOf(event)}`}
          aria-describedby={id}
          onClick={() => setOpen(!isOpen)}
        >
          <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <path d="m4 6 4 4 4-4" />
          </svg>
        </button>
      </div>
      {isOpen && <Details event={event} nameOfEntity={nameOfEntity} />}
    </>
  );
}

function Details({ event, nameOfEntity }: Omit<RowProps, 'isNew'>) {
  const { id, createdAt, actor, ipAddress, userAgent, sessionId, userId, entityId } = event;
  const about = userId ?? entityId;
  return (
    <div class="stack event-details">
      <dl class="facts-list">
        <dt>Time</dt>
        <dd>
          <Time at={createdAt} form="exact" /> <span class="quiet">({utcText(new Date(createdAt))})</span>
        </dd>
        {actor !== null && (
          <>
            <dt>By</dt>
            <dd>
              <ActorName event={event} nameOfEntity={nameOfEntity} /> {actor.id !== null && <Id id={actor.id} />}
            </dd>
          </>
        )}
        <dt>From</dt>
        <dd>
          <Origin ipAddress={ipAddress} />
        </dd>
        {userAgent !== '' && (
          <>
            <dt>Device</dt>
            <dd>
              <Device userAgent={userAgent} isWhole />
            </dd>
          </>
        )}
        {sessionId !== null && (
          <>
            <dt>Session</dt>
            <dd>
              <Link to={pathTo(AUDIT_LOG, { sessionId })}>
                <code>{sessionId}</code>
              </Link>
            </dd>
          </>
        )}
        {about !== null && (
          <>
            <dt>About</dt>
            <dd>
              <Link to={pathTo(AUDIT_LOG, { entityId: about })}>
                <code>{about}</code>
              </Link>
            </dd>
          </>
        )}
        {fieldsOf(event).map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
        <dt>Event</dt>
        <dd>
          {nameOf(event)} <code class="quiet">{id}</code>
        </dd>
      </dl>
      <details>
        <summary>JSON</summary>
        <Copyable label="Event" text={JSON.stringify(event, null, 2)} />
      </details>
    </div>
  );
}
