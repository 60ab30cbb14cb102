/** Times in the zone of the reader, with UTC on hover. */
const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const SHORT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** The IANA zone of the reader, such as `Europe/Berlin`. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function Time({ at, isExact = false }: { at: string; isExact?: boolean }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={utcText(date)}>
      {(isExact ? FULL : SHORT).format(date)}
    </time>
  );
}

/** A time that may be missing, with the word for that. */
export function MaybeTime({ at, none }: { at: string | null | undefined; none: string }) {
  return at == null ? <span class="quiet">{none}</span> : <Time at={at} />;
}

/** `2026-11-25 14:07:40 UTC` */
function utcText(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `Wed, 25 Nov` */
export function dayText(date: Date): string {
  return DAY.format(date);
}

/** `14:00` */
export function hourText(date: Date): string {
  return HOUR.format(date);
}

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
