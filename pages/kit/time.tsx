/** Times in the zone of the reader: relative within the last hour, with UTC on hover. */
import { signal } from '@preact/signals';

const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const SHORT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DAY_OF_OTHER_YEAR = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const AGO = new Intl.RelativeTimeFormat('en-GB', { style: 'short' });
const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

/** The IANA zone of the reader, such as `Europe/Berlin`. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

let timer: ReturnType<typeof setInterval>;
const look = (): void => {
  if (!document.hidden) now.value = Date.now();
};

/** Once a minute, while the page is visible and shows a time */
const now = signal(Date.now(), {
  watched() {
    timer = setInterval(look, MINUTE_MS);
    document.addEventListener('visibilitychange', look);
  },
  unwatched() {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
  },
});

interface TimeProps {
  at: string;
  /** `exact`: to the second. `clock`: never relative. `hour`: without the day, which stands above. */
  form?: 'exact' | 'clock' | 'hour';
}

export function Time({ at, form }: TimeProps) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={form === 'exact' ? utcText(date) : `${FULL.format(date)} (${utcText(date)})`}>
      {form === 'exact' ? FULL.format(date) : (form !== 'clock' && agoText(date)) || dateText(date, form === 'hour')}
    </time>
  );
}

/** `2 min ago`, within the last hour */
function agoText(date: Date): string | undefined {
  const agoMs = Math.max(now.value, Date.now()) - date.getTime();
  if (agoMs <= -MINUTE_MS || agoMs >= HOUR_MS) return undefined; // clocks may differ by a little
  return agoMs < MINUTE_MS ? 'just now' : AGO.format(-Math.floor(agoMs / MINUTE_MS), 'minute');
}

/** `11:19` today, `27 Nov, 11:19` this year, `27 Nov 2025, 11:19` */
function dateText(date: Date, isHour: boolean): string {
  if (isHour || isDayOf(date, new Date())) return HOUR.format(date);
  return date.getFullYear() === new Date().getFullYear()
    ? `${DAY_OF_YEAR.format(date)}, ${HOUR.format(date)}`
    : SHORT.format(date);
}

function isDayOf(date: Date, other: Date): boolean {
  return date.toDateString() === other.toDateString();
}

/** `Today`, `Yesterday`, `27 Nov`, `27 Nov 2025` */
export function dayName(date: Date): string {
  const [today, yesterday] = [new Date(), new Date()];
  yesterday.setDate(today.getDate() - 1);
  if (isDayOf(date, today)) return 'Today';
  if (isDayOf(date, yesterday)) return 'Yesterday';
  return (date.getFullYear() === today.getFullYear() ? DAY_OF_YEAR : DAY_OF_OTHER_YEAR).format(date);
}

/** A time that may be missing, with the word for that. */
export function MaybeTime({ at, none }: { at: string | null | undefined; none: string }) {
  return at == null ? <span class="quiet">{none}</span> : <Time at={at} />;
}

/** `2026-11-25 14:07:40 UTC` */
export function utcText(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `Wed, 25 Nov` */
export const dayText = (date: Date): string => DAY.format(date);

/** `14:00` */
export const hourText = (date: Date): string => HOUR.format(date);

/** When so many seconds have passed, on the minute after: `14:33`, or `28 Nov 2026, 14:33` on another day. */
export function timeIn(seconds: number): string {
  const at = new Date(Math.ceil((Date.now() + seconds * 1000) / 60_000) * 60_000);
  return at.toDateString() === new Date().toDateString() ? hourText(at) : SHORT.format(at);
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Rounded down, in the largest unit of which there is one: `3 days`, `1 hour`. */
export function durationText(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds >= each) ?? UNITS[3];
  const count = Math.floor(seconds / size);
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}
