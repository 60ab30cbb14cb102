/** Parameters that are moments. They have a file of their own because they load zod. (Interface 9) */
import * as z from 'zod';
import { addSeconds, hasFourDigitYear } from '../platform/clock.js';
import { type ParameterType, rejectUsage, secondsOf } from './parameter-types.js';

/** A duration before or after now, or a date and time of RFC 3339. */
const moment = (direction: 1 | -1): ParameterType<(now: Date) => Date> => ({
  placeholder: 'TIME',
  parse: (text, name) => {
    const seconds = secondsOf(text);
    if (seconds !== undefined) return (now) => addSeconds(now, direction * seconds);
    const instant = new Date(z.iso.datetime({ offset: true }).safeParse(text).data ?? Number.NaN);
    if (!hasFourDigitYear(instant)) {
      rejectUsage(`${name} must be a duration such as 15m, 24h or 7d, or a time such as 2026-01-31T09:00:00Z`);
    }
    return () => instant;
  },
});

export const since = moment(-1);
export const until = moment(1);
