/** The page of password links, in production too. `npm run build` has bundled and compressed its files. (Interface 15) */
import type { Express } from 'express';
import { ACCOUNT_PATH, SET_PASSWORD_PATH } from '../../config/config.js';
import { escapeHtml } from '../../platform/text.js';
import type { Deps } from '../../services.js';
import { addReadOnly } from '../errors.js';
import { compressText, OWN_FILES_POLICY, type Page, readBuilt, readHtml, sendPage } from '../static-page.js';

const FILES: Array<Omit<Page, 'compressed'> & { path: string; file: string }> = [
  { path: SET_PASSWORD_PATH, file: 'page.html', type: 'html', policy: OWN_FILES_POLICY, cache: 'no-store' },
  { path: `${SET_PASSWORD_PATH}/page.js`, file: 'page.js', type: 'js' },
  { path: `${SET_PASSWORD_PATH}/page.css`, file: 'page.css', type: 'css' },
];

/** Whether password links open the gateway's own page, at its own origin. */
export function isSetPasswordPageOurs({ publicUrl, setPasswordUrl }: Deps<'config'>['config']): boolean {
  return setPasswordUrl === `${publicUrl}${SET_PASSWORD_PATH}`;
}

/** Whether that page can also send a link to users who have forgotten their password. */
export function isForgotFormOurs(config: Deps<'config'>['config']): boolean {
  return config.mail.kind !== 'off' && isSetPasswordPageOurs(config);
}

/** Without the page it is 404: another one has its place. */
export function addSetPasswordPage(app: Express, { config }: Deps<'config'>): void {
  if (!isSetPasswordPageOurs(config)) return;
  for (const { path, file, ...page } of FILES) {
    const compressed =
      path === SET_PASSWORD_PATH ? () => pageOf(config) : () => readBuilt('set-password', `${file}.gz`);
    addReadOnly(app, path, sendPage({ ...page, compressed }));
  }
}

/** The page with what is configured: whose it is, the form of `forgot.html` if mail is sent, and a link to where people log in. */
async function pageOf(config: Deps<'config'>['config']): Promise<Buffer> {
  const { account, appUrl, mail, resetSeconds } = config;
  const [page, form] = await Promise.all([readHtml('set-password'), readHtml('set-password', 'forgot.html.gz')]);
  const offer = `<div id="forgot" data-link-seconds="${resetSeconds}" hidden>\n${form}</div>\n`;
  const login = account ? `<p id="app" class="login" hidden><a href="${ACCOUNT_PATH}">Log in</a></p>\n` : '';
  const onward = appUrl === undefined ? login : `<p id="app" hidden>${linkToApp(appUrl)}</p>\n`;
  return compressText(
    page
      .replace('<main>', () => `<main>\n<p class="whose">${whoseHtml(config)}</p>`)
      .replace('</main>', () => `${mail.kind === 'off' ? '' : offer}${onward}</main>`),
  );
}

/** Interface 21: the name of the product, and the host unless that is its name. */
function whoseHtml({ productName: name, publicAuthority: host }: Deps<'config'>['config']): string {
  return `<b>${escapeHtml(name)}</b>${name === host ? '' : ` <span>${host}</span>`}`;
}

/** @param appUrl APP_URL, as the configuration has checked it */
export function linkToApp(appUrl: string): string {
  return `<a href="${escapeHtml(appUrl)}">Go to ${new URL(appUrl).host}</a>`;
}
