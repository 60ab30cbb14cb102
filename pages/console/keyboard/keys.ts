/** What the keys of the console have opened, and whether single keys are on. */
import { signal } from '@preact/signals';

/** Who dictates, or touches keys by accident, can switch single keys off (WCAG 2.2, 2.1.4). */
const OFF = 'auth-gateway single keys';
export const singleKeys = signal(localStorage.getItem(OFF) !== 'off');
export function switchSingleKeys(isOn: boolean): void {
  singleKeys.value = isOn;
  if (isOn) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, 'off');
}

/** What is open above the view */
export const opened = signal<'commands' | 'help' | undefined>(undefined);
/** What is typed while the list of commands is being loaded */
let typedAhead = '';
export const typeAhead = (key: string): void => {
  typedAhead += key;
};
export const takeTypedAhead = (): string => {
  const text = typedAhead;
  typedAhead = '';
  return text;
};
