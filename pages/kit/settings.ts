/** What the server writes into the page. */
const data = document.getElementById('root')?.dataset ?? {};

/** The origin whose logins the gateway accepts: its PUBLIC_URL */
export const PUBLIC_URL = data['publicUrl'] ?? location.origin;

/** GraphiQL is at `/graphql`. */
export const HAS_EXPLORER = data['explorer'] === 'true';

/** Interface 21: whose page this is, and where */
export const { host: HOST } = new URL(PUBLIC_URL);
export const PRODUCT_NAME = data['productName'] ?? HOST;

/** `/set-password` mails a link to users who have forgotten their password. */
export const HAS_FORGOT_PAGE = data['setPassword'] === 'true';

/** Where people came from: APP_URL */
export const APP_URL = data['appUrl'];

/** People look after their own account at `/account`. */
export const HAS_ACCOUNT = data['account'] === 'true';

/** The gateway sends mail, so that people can change their e-mail. */
export const HAS_MAIL = data['mail'] === 'true';

/** The gateway remembers devices (KNOWN_DEVICES). */
export const HAS_DEVICES = data['devices'] === 'true';
