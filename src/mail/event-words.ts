/** What texts say of an event: who did it, when, and from where. (Interface 17) */
import type { LoggedEvent } from '../audit/order.js';
import { deviceInWords } from './devices.js';

export const fieldOf = (metadata: unknown, name: string): unknown => (metadata as Record<string, unknown>)[name];

/** To the minute, in the one time zone that the gateway knows. */
export function inWords(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The address and browser of anybody else are not the user's business. */
export function originInWords(event: LoggedEvent): { actor: string; address: string; device: string } {
  const actor = actorOf(event);
  if (actor !== 'you') return { actor, address: actor, device: deviceInWords('') };
  return { actor, address: event.ip_address, device: deviceInWords(event.user_agent ?? '') };
}

function actorOf({ event_type, metadata, user_id }: LoggedEvent): string {
  if (event_type === 'email_change_undone') return 'the owner of the former e-mail';
  const operator = fieldOf(metadata, 'actor');
  return operator === undefined || fieldOf(operator, 'sub') === user_id ? 'you' : 'an administrator';
}
