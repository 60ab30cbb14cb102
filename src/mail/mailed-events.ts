/** The events that are mailed: those that ask for a link, and those of which users have a notice. (Interface 17) */
import type { EventType } from '../audit/events.js';
import type { LoggedEvent } from '../audit/order.js';
import type { NoticeKind } from '../domain/notices.js';
import { fieldOf } from './event-words.js';
import { noticeOf, typesOf } from './notices.js';

/** The links that events ask for. */
const LINK_OF = {
  password_reset_requested: 'request',
  password_link_issued: 'link',
  email_change_requested: 'email-change',
  email_changed: 'email-undo',
} as const satisfies { [Type in EventType]?: string };

export type Link = (typeof LINK_OF)[keyof typeof LINK_OF];

export function linkOf({ event_type, metadata }: LoggedEvent): Link | undefined {
  const link = Object.hasOwn(LINK_OF, event_type) ? LINK_OF[event_type as keyof typeof LINK_OF] : undefined;
  return link === 'link' && fieldOf(metadata, 'mailed') !== true ? undefined : link;
}

/** @param notices MAIL_NOTICES */
export function noticeIn(event: LoggedEvent, notices: readonly NoticeKind[]): NoticeKind | undefined {
  const notice = noticeOf(event);
  return notice !== undefined && notices.includes(notice) ? notice : undefined;
}

/** Types of events that may be mailed. @param notices MAIL_NOTICES */
export function mailedTypes(notices: readonly NoticeKind[]): EventType[] {
  return [...(Object.keys(LINK_OF) as EventType[]), ...typesOf(notices)];
}
