/** The browser and the system of a User-Agent. Bowser is as large as a view. */
import { Bowser } from './bowser.js';
import { Cut } from './foreign.js';

interface DeviceProps {
  userAgent: string | null;
  /** With the whole text behind it; otherwise on hover */
  isWhole?: boolean;
}

/** A User-Agent in words, such as `Chrome 143 on Windows`, with the whole text on demand. */
export function Device({ userAgent, isWhole = false }: DeviceProps) {
  if (userAgent === null) return <span class="quiet">Not recorded</span>;
  if (userAgent === '') return <span class="quiet">No User-Agent</span>;
  const words = deviceText(userAgent);
  if (words === undefined) return <Cut text={userAgent} characters={40} />;
  if (isWhole) {
    return (
      <>
        {words} <span class="quiet">{userAgent}</span>
      </>
    );
  }
  return (
    <span class="device" title={userAgent}>
      {words}
    </span>
  );
}

/** @returns undefined if it is no browser that is known */
export function deviceText(userAgent: string): string | undefined {
  if (userAgent === '') return undefined; // bowser would complain
  const { browser, os } = Bowser.parse(userAgent);
  if (!browser.name) return undefined;
  const version = browser.version?.split('.')[0] ?? '';
  return `${browser.name} ${version}`.trim() + (os.name ? ` on ${os.name}` : '');
}
