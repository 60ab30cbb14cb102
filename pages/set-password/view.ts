/** The elements of `page.html`, and what the page shows with them. */
import { MIN_CHARACTERS, type PasswordCheck } from '../kit/password-check.js';

const OFFERED = 'Set password';
const SENDING = 'Setting the password…';
const CHECKING = 'Checking your link…';

export function find<Element extends HTMLElement>(id: string): Element {
  return document.getElementById(id) as Element;
}

export const form = find<HTMLFormElement>('form');
export const email = find<HTMLInputElement>('email');
export const password = find<HTMLInputElement>('password');
export const show = find<HTMLButtonElement>('show');
export const checkAgain = find<HTMLButtonElement>('check-again');
const submit = find<HTMLButtonElement>('submit');
/** Leads to APP_URL, or else to `/account`; only in the page if there is one of them. */
const app = document.getElementById('app');

/** Replaces the form by a heading and paragraphs. */
export function showNotice(title: string, ...paragraphs: string[]): void {
  form.remove(); // with the password in it
  document.getElementById('checking')?.remove();
  find('notice').replaceChildren(...paragraphs.map(paragraphOf));
  if (app !== null) app.hidden = app.classList.contains('login'); // who has no password yet cannot use it
  showHeading(title);
}

/** Going on is what remains to be done. */
export function showNextStep(): void {
  if (app === null) return;
  app.hidden = false;
  app.classList.add('next');
}

/** The words for somebody who has no account yet, as far as they know. */
export function welcome(): void {
  const product = document.querySelector('.whose > b:not(:last-child)')?.textContent; // PRODUCT_NAME, if it is set
  const site = product ?? app?.querySelector('a')?.host ?? location.host;
  const title = `Welcome to ${site}`;
  document.title = title;
  find('title').textContent = title;
  find('intro').textContent =
    'An administrator has created an account for you. Choose a password; you then log in with your e-mail and this password.';
}

/** Once the form is there, it stays. */
export function showChecking(): void {
  if (form.hidden) find('checking').textContent = CHECKING;
  checkAgain.disabled = true;
}

/** @param why the link could not be checked; '' if it was */
export function showForm(why: string): void {
  document.getElementById('checking')?.remove();
  form.hidden = false;
  checkAgain.disabled = false;
  find('check-error').textContent = why === '' ? '' : `Your link could not be checked. ${why}`;
  checkAgain.hidden = why === '';
}

/** Screen readers read it, because it is focused. */
export function showHeading(title: string): void {
  document.title = title;
  const heading = find('title');
  heading.textContent = title;
  heading.focus();
}

export function paragraphOf(text: string): HTMLElement {
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  return paragraph;
}

/** While a request is under way nothing can be changed or sent again. */
export function showSending(isSending: boolean): void {
  submit.disabled = isSending;
  submit.textContent = isSending ? SENDING : OFFERED;
  password.readOnly = isSending;
  if (isSending) showProgress(SENDING);
}

export function showPasswordError(text: string): void {
  find('password-error').textContent = text;
  password.setAttribute('aria-invalid', String(text !== ''));
  if (text !== '') password.focus();
}

export function showFormError(text: string): void {
  find('form-error').textContent = text;
  if (text !== '') submit.focus(); // a disabled button has lost it
}

/** Marks each rule that the page can check. Nothing is said of an empty field. */
export function showCheck({ characters, isLongEnough, isContext }: PasswordCheck): void {
  const isEmpty = characters === 0;
  find('count').textContent = isLongEnough ? `${characters}` : `${characters} of ${MIN_CHARACTERS}`;
  mark('length', isEmpty ? undefined : isLongEnough);
  mark('context', isEmpty ? undefined : !isContext);
  const remark = isContext ? 'Too close to your e-mail or the name of this site' : 'Long enough';
  showProgress(isLongEnough ? remark : '');
}

function mark(rule: 'length' | 'context', isMet: boolean | undefined): void {
  const { dataset } = find(rule);
  if (isMet === undefined) delete dataset['met'];
  else dataset['met'] = String(isMet);
}

/** Screen readers announce it when it changes. */
function showProgress(text: string): void {
  const progress = find('progress');
  if (progress.textContent !== text) progress.textContent = text;
}

export function togglePassword(): void {
  const isShown = password.type === 'password';
  password.type = isShown ? 'text' : 'password';
  show.setAttribute('aria-pressed', String(isShown));
}
