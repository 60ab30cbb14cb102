/** The texts of mails, ours and those of operators, with placeholders that values replace. (Interface 17) */
import { hasNul } from '../platform/text.js';

/** What every text can have. `site` is the host of PUBLIC_URL, `app` APP_URL, `account` the sessions on the account page. */
export const OF_ALL = ['email', 'product', 'site', 'app', 'account', 'time', 'actor', 'address', 'device'] as const;

/** Of each text, the placeholders that have a value. */
export const TEXTS = {
  reset: [...OF_ALL, 'link', 'expires'],
  invitation: [...OF_ALL, 'link', 'expires', 'role'],
  'email-change': [...OF_ALL, 'link', 'expires'],
  'email-undo': [...OF_ALL, 'link', 'expires', 'current'],
  'email-undone': [...OF_ALL, 'link', 'expires'],
  'new-login': OF_ALL,
  'account-locked': [...OF_ALL, 'expires'],
  'token-theft': OF_ALL,
  'password-changed': OF_ALL,
  'email-changed': [...OF_ALL, 'current'],
  'role-changed': [...OF_ALL, 'role'],
  'factor-added': [...OF_ALL, 'factor'],
  'factor-removed': [...OF_ALL, 'factor'],
  'factors-reset': OF_ALL,
  'recovery-code-used': [...OF_ALL, 'codes'],
} as const;

export type TextName = keyof typeof TEXTS;

export const TEXT_NAMES = Object.keys(TEXTS) as TextName[];

type Placeholder = (typeof TEXTS)[TextName][number];

export type ValuesOfAll = Record<(typeof OF_ALL)[number], string>;

/** What a text has in addition. */
export type OwnValues<Name extends TextName> = Record<Exclude<(typeof TEXTS)[Name][number], keyof ValuesOfAll>, string>;

export interface Template {
  subject: string;
  text: string;
}

export type Templates = Record<TextName, Template>;

/** Bytes */
export const MAX_TEXT = 100_000;

const PLACEHOLDER = /\{\{(.*?)\}\}/gs;

/**
 * A text of the form `Subject: …`, an empty line, and what follows.
 * @returns what is wrong with it, as the end of a sentence that begins with its name
 */
export function parseTemplate(name: TextName, source: string): Template | { fault: string } {
  const normal = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const [, subject, text] = /^Subject:[ \t]*(\S[^\n]*)\n[ \t]*\n(.*\S.*)$/s.exec(normal) ?? [];
  if (hasNul(source)) return { fault: 'has a NUL character' };
  if (!/^Subject:[ \t]*\S/.test(normal)) return { fault: 'has no subject: its first line must be "Subject: …"' };
  if (subject === undefined || text === undefined)
    return { fault: 'must have an empty line after its subject, and text after that' };
  const known: readonly string[] = TEXTS[name];
  const used = Array.from(normal.matchAll(PLACEHOLDER), ([, placeholder = '']) => placeholder.trim());
  const unknown = used.find((placeholder) => !known.includes(placeholder));
  if (unknown !== undefined) {
    const choice = known.map((placeholder) => `{{${placeholder}}}`).join(' ');
    return { fault: `has the placeholder {{${unknown.slice(0, 50)}}}; it can have ${choice}` };
  }
  const withLink = (part: string): boolean => /\{\{\s*link\s*\}\}/.test(part);
  if (known.includes('link') && !withLink(text)) return { fault: 'must have {{link}} in its text' };
  // Mail servers log subjects.
  if (withLink(subject)) return { fault: 'has {{link}} in its subject, which is no place for a secret' };
  return { subject: subject.trim(), text: `${text.trimEnd()}\n` };
}

/** Control characters, and what ends a line elsewhere: a value never adds a line or a header. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Replaces the placeholders, once: a value that looks like one stays as it is. */
export function fill({ subject, text }: Template, values: Partial<Record<Placeholder, string>>): Template {
  const filled = (part: string): string =>
    part.replace(PLACEHOLDER, (_, name: string) =>
      (values[name.trim() as Placeholder] ?? '').toWellFormed().replace(BREAKS, ' '),
    );
  return { subject: filled(subject), text: filled(text) };
}

/** What a text needs that is not always there; undefined: not here. */
export interface Places {
  app?: string | undefined;
  account?: string | undefined;
}

const VARIABLES = { app: 'APP_URL is not set', account: 'ACCOUNT is off' } as const satisfies Record<
  keyof Places,
  string
>;

/** @returns what is wrong with a text that names a place which is not there, as the end of a sentence */
export function missingPlace(text: string, places: Places): string | undefined {
  const names = Object.keys(VARIABLES) as Array<keyof Places>;
  const missing = names.find(
    (name) => places[name] === undefined && new RegExp(`\\{\\{\\s*${name}\\s*\\}\\}`).test(text),
  );
  return missing && `has {{${missing}}}, but ${VARIABLES[missing]}`;
}

const APP = 'You log in at {{app}}';
const HERE = 'Your sessions are here:\n\n{{account}}';

/** @param hasAccount whether people end sessions, and choose a password, on the account page */
function ourTexts(hasAccount: boolean): Record<TextName, string> {
  const ifNotYou = hasAccount
    ? 'If this was not you, end the sessions that are not yours, and choose another password:\n\n{{account}}'
    : 'If this was not you, ask for a new password on the login page, and inform those who run {{product}}.';
  const ifUnexpected = `If you did not expect this, ask those who run {{product}}.${hasAccount ? ` ${HERE}` : ''}`;
  return {
    reset: `Subject: New password for {{product}}

Hello,

a new password was requested for your account {{email}} at {{product}}.
Requested by: {{address}}
Time: {{time}}

This link opens the page on which you choose it:

{{link}}

The link works once, until {{expires}}.

${APP}

If you did not ask for it, you can delete this mail: only this mailbox has the link.
`,
    invitation: `Subject: Your account at {{product}}

Hello,

an account at {{product}} was created for {{email}}, with the role {{role}}.
Invited by: {{address}}
Time: {{time}}

This link opens the page on which you choose your password:

{{link}}

The link works once, until {{expires}}.

${APP}

If you do not know what this is about, you can delete this mail: without a password nobody can use the account.
`,
    'email-change': `Subject: Confirm your new e-mail for {{product}}

Hello,

an account at {{product}} is to have your address {{email}} as its e-mail.
Requested by: {{address}}
Time: {{time}}

Open this link in the browser in which you are logged in:

{{link}}

The link works once, until {{expires}}.

If you do not know what this is about, you can delete this mail: nothing changes without the link.
`,
    'email-undo': `Subject: Your e-mail at {{product}} was changed

Hello,

your account at {{product}} had the e-mail {{email}}, and now has {{current}}.
Changed by: {{address}}
Time: {{time}}

If that was you, there is nothing to do.

If it was not, take it back with this link. It ends every session and the password, and you get a link for a new one:

{{link}}

The link works once, until {{expires}}.
`,
    'email-undone': `Subject: Your account at {{product}} needs a new password

Hello,

the change of the e-mail of your account {{email}} at {{product}} was taken back. This has ended every session and the password.
Requested by: {{address}}
Time: {{time}}

Choose a new password with this link:

{{link}}

The link works once, until {{expires}}. After that, ask for another on the login page.

${APP}

If you did not take the change back, choose a new password too: only this mailbox has the link.
`,
    'new-login': `Subject: New login to your account at {{product}}

Hello,

somebody logged in to your account {{email}} at {{product}} with a browser that is new for this account.
Browser: {{device}}
Address: {{address}}
Time: {{time}}

If this was you, there is nothing to do.

${APP}

${ifNotYou}
`,
    'account-locked': `Subject: Your account at {{product}} is locked

Hello,

too many wrong passwords were sent for your account {{email}} at {{product}}, so nobody can log in until {{expires}}.
Last from: {{device}}, {{address}}
Time: {{time}}

A new password unlocks it at once: ask for one on the login page.

${APP}

If this was not you, somebody is guessing your password. ${
      hasAccount
        ? 'They have not found it. Your sessions, which still work, are here:\n\n{{account}}'
        : 'They have not found it. If it happens again, inform those who run {{product}}.'
    }
`,
    'token-theft': `Subject: A session of your account at {{product}} was ended

Hello,

a login token of your account {{email}} at {{product}} was used twice, which happens if somebody has a copy of it. So the session was ended.
Second use from: {{device}}, {{address}}
Time: {{time}}

If this was you, log in again.

${APP}

${ifNotYou}
`,
    'password-changed': `Subject: Your password for {{product}} was changed

Hello,

your account {{email}} at {{product}} has a new password.
Changed by: {{address}}
Time: {{time}}

If this was you, there is nothing to do.

${APP}

If this was not you, ask for a new password on the login page, and inform those who run {{product}}.${hasAccount ? ` ${HERE}` : ''}
`,
    'email-changed': `Subject: Your e-mail at {{product}} was changed

Hello,

your account at {{product}} now has the e-mail {{current}}.
Changed by: {{actor}}
Time: {{time}}

This mail goes to the former e-mail and the new one. There is nothing to do.

${APP}

${ifUnexpected}
`,
    'role-changed': `Subject: Your role at {{product}} was changed

Hello,

your account {{email}} at {{product}} now has the role {{role}}.
Changed by: {{address}}
Time: {{time}}

There is nothing to do.

${APP}

${ifUnexpected}
`,
    'factor-added': `Subject: A second factor was added to your account at {{product}}

Hello,

your account {{email}} at {{product}} has a new second factor: {{factor}}.
Added by: {{address}}
Time: {{time}}

If this was you, there is nothing to do.

${APP}

If this was not you, ask those who run {{product}} to remove it. Then ask for a new password on the login page.${hasAccount ? ` ${HERE}` : ''}
`,
    'factor-removed': `Subject: A second factor was removed from your account at {{product}}

Hello,

{{factor}} was removed from your account {{email}} at {{product}}.
Removed by: {{address}}
Time: {{time}}

If this was you, there is nothing to do.

${APP}

${ifNotYou}
`,
    'factors-reset': `Subject: Your second factors at {{product}} were removed

Hello,

all second factors and recovery codes of your account {{email}} at {{product}} were removed.
Removed by: {{address}}
Time: {{time}}

You log in with your password, and can add new ones after that.

${APP}

${ifUnexpected}
`,
    'recovery-code-used': `Subject: A recovery code of your account at {{product}} was used

Hello,

a recovery code was used to log in to your account {{email}} at {{product}}.
Used by: {{address}}
Time: {{time}}
Recovery codes left: {{codes}}

If this was you, there is nothing to do; with few codes left, make new ones.

${APP}

${ifNotYou}
`,
  };
}

/**
 * Our paragraphs that name a place which is not there are left out.
 * @throws {TypeError} if a text has not the form
 */
export function ourTemplates(places: Places): Templates {
  const texts = ourTexts(places.account !== undefined);
  const parsed = TEXT_NAMES.map((name) => {
    const paragraphs = texts[name]
      .trimEnd()
      .split('\n\n')
      .filter((part) => missingPlace(part, places) === undefined);
    const template = parseTemplate(name, paragraphs.join('\n\n'));
    if ('fault' in template) throw new TypeError(`${name} ${template.fault}`);
    return [name, template] as const;
  });
  return Object.fromEntries(parsed) as Templates;
}
