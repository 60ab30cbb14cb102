/** A link of a mail, whose token comes behind `#`: it changes nothing until a button is pressed. (Interface 21) */
import { signal } from '@preact/signals';

export interface EmailLink {
  kind: 'email' | 'undo';
  /** Undefined if the address has only a part of it; whether a whole one is valid, only the gateway knows */
  token: string | undefined;
}

const LINK = /^#(email|undo)=(.*)$/;
const TOKEN = /^e[lu]_[0-9A-Za-z]{49}$/;

/** The link that was opened. Its token is nowhere else, so a reload forgets it. */
export const link = signal<EmailLink | undefined>(takeLink());
addEventListener('hashchange', () => {
  link.value = takeLink() ?? link.peek();
});

/** Takes it out of the address bar and the history, so that nobody finds it there. */
function takeLink(): EmailLink | undefined {
  const [, kind, text = ''] = LINK.exec(location.hash) ?? [];
  if (kind !== 'email' && kind !== 'undo') return undefined;
  history.replaceState(null, '', location.pathname);
  const token = text.trim();
  return { kind, token: TOKEN.test(token) ? token : undefined };
}
