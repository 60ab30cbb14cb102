/** The browser and system of a User-Agent, in words. (Interface 21) */
import Bowser from 'bowser';

const BROWSERS = new Set(Object.values(Bowser.BROWSER_MAP));
const SYSTEMS = new Set(Object.values(Bowser.OS_MAP));

/**
 * Anybody can write a User-Agent, so only names of these lists are ever mailed.
 * @param userAgent at most 512 characters; may be empty
 * @returns without version, such as "Firefox on Windows"; undefined if the browser is not known
 */
function knownDevice(userAgent: string): string | undefined {
  if (userAgent === '') return undefined; // which bowser refuses
  const { browser, os } = Bowser.parse(userAgent);
  if (browser.name === undefined || !BROWSERS.has(browser.name)) return undefined;
  return os.name !== undefined && SYSTEMS.has(os.name) ? `${browser.name} on ${os.name}` : browser.name;
}

/** For `{{device}}` */
export function deviceInWords(userAgent: string): string {
  return knownDevice(userAgent) ?? 'an unknown browser';
}

/** The same for all versions of one browser on one system. A program that is no browser has the name that it begins with. */
export function deviceKind(userAgent: string): string {
  return knownDevice(userAgent) ?? `program ${/^[^\s/]*/.exec(userAgent)?.[0]}`;
}
