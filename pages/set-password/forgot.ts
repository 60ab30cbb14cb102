/** The form of `forgot.html`, which is in the page only where the gateway sends mail. */
import { type Asked, askForLink, faultOf } from './ask-for-link.js';
import { durationText } from './request.js';
import { find, paragraphOf, showHeading } from './view.js';

/** Of the form while nothing was sent */
export const HEADING = 'Forgot your password?';

const OFFERED = 'Send me a link';
const SENDING = 'Sending…';
const SENT = 'Send again';

const section = document.getElementById('forgot');
let isSending = false;
/** The last address for which a link was asked */
let askedFor: string | undefined;

/** Whether the page can have a link sent. */
export const isOffered = section !== null;

/** @param known an e-mail that has been entered before */
export function offer(known: string): void {
  if (section === null) return;
  const email = find<HTMLInputElement>('forgot-email');
  const submit = find<HTMLButtonElement>('forgot-submit');
  const seconds = Number(section.dataset['linkSeconds']);

  const showEmailError = (text: string): void => {
    find('forgot-email-error').textContent = text;
    email.setAttribute('aria-invalid', String(text !== ''));
    if (text !== '') email.focus();
  };
  const showFormError = (text: string): void => {
    find('forgot-error').textContent = text;
    if (text !== '') submit.focus(); // a disabled button has lost it
  };
  const showSending = (): void => {
    submit.disabled = isSending;
    submit.textContent = isSending ? SENDING : OFFERED;
    email.readOnly = isSending;
    find('forgot-progress').textContent = isSending ? SENDING : '';
  };
  const showSent = (address: string): void => {
    const message = address === askedFor ? 'another message' : 'a message';
    askedFor = address;
    find('notice').replaceChildren();
    find('sent').replaceChildren(
      paragraphOf(
        `If this address has an account, ${message} is on its way. It has a link that works for ${durationText(seconds)}. ` +
          'Only the newest link works.',
      ),
      paragraphOf(
        'Nothing there after a few minutes? Look in your spam folder and check the address below, then send it again. One ' +
          'address gets only a few messages an hour.',
      ),
    );
    submit.textContent = SENT;
    showHeading('Check your mail');
  };
  /** What was said of one address would be read as said of the next. */
  const unsayOfAnother = (address: string): void => {
    if (askedFor === undefined || address === askedFor) return;
    find('sent').replaceChildren();
    showHeading(HEADING);
  };
  const request = async (address: string): Promise<Asked> => {
    isSending = true;
    showSending();
    const asked = await askForLink(address);
    isSending = false;
    showSending();
    return asked;
  };
  const send = async (): Promise<void> => {
    if (isSending) return;
    const address = email.value.trim();
    showEmailError('');
    showFormError('');
    const fault = faultOf(address);
    const asked: Asked = fault === undefined ? await request(address) : { kind: 'refused', text: fault };
    if (asked.kind === 'sent') showSent(address);
    else {
      unsayOfAnother(address);
      if (asked.kind === 'refused') showEmailError(asked.text);
      else showFormError(asked.text);
    }
  };

  email.value = known;
  email.addEventListener('input', () => {
    showEmailError('');
    submit.textContent = OFFERED;
  });
  section.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  section.hidden = false;
}
