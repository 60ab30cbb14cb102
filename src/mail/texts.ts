/** The texts of mails, ours and those of operators, with placeholders that values replace. (Interface 17) */
import { hasNul } from '../platform/text.js';

/** `address` is the client address that asked, or "an administrator"; `site` the host of PUBLIC_URL, `app` APP_URL. */
type Placeholder =
  | 'email'
  | 'link'
  | 'expires'
  | 'site'
  | 'app'
  | 'role'
  | 'factor'
  | 'codes'
  | 'current'
  | 'time'
  | 'address';

/** Of each text, the placeholders that have a value. */
export const TEXTS = {
  reset: ['email', 'link', 'expires', 'site', 'app', 'time', 'address'],
  invitation: ['email', 'link', 'expires', 'site', 'app', 'role', 'time', 'address'],
  'email-change': ['email', 'link', 'expires', 'current', 'site', 'app', 'time', 'address'],
  'email-undo': ['email', 'link', 'expires', 'current', 'site', 'app', 'time', 'address'],
  'password-changed': ['email', 'site', 'app', 'time', 'address'],
  'role-changed': ['email', 'site', 'app', 'role', 'time', 'address'],
  'factor-added': ['email', 'site', 'app', 'factor', 'time', 'address'],
  'factor-removed': ['email', 'site', 'app', 'factor', 'time', 'address'],
  'factors-reset': ['email', 'site', 'app', 'time', 'address'],
  'recovery-code-used': ['email', 'site', 'app', 'codes', 'time', 'address'],
} as const satisfies Record<string, readonly Placeholder[]>;

export type TextName = keyof typeof TEXTS;

export const TEXT_NAMES = Object.keys(TEXTS) as TextName[];

export type ValuesOfText<Name extends TextName> = Record<(typeof TEXTS)[Name][number], string>;

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

const OURS: Record<TextName, string> = {
  reset: `Subject: New password for {{site}}

Hello,

a new password was requested for your account {{email}} at {{site}}.
Requested by: {{address}}
Time: {{time}}

This link opens the page on which you choose it:

{{link}}

The link works once, until {{expires}}.

You log in at {{app}}

If you did not ask for it, you can delete this mail: your password stays as it is, and only this mailbox has the link.
`,
  invitation: `Subject: Your account at {{site}}

Hello,

an account at {{site}} was created for {{email}}, with the role {{role}}.
Invited by: {{address}}
Time: {{time}}

This link opens the page on which you choose your password:

{{link}}

The link works once, until {{expires}}.

You log in at {{app}}

If you do not know what this is about, you can delete this mail: without a password nobody can use the account.
`,
  'email-change': `Subject: Confirm your new e-mail for {{site}}

Hello,

the account {{current}} at {{site}} is to have your address {{email}} as its e-mail.
Requested by: {{address}}
Time: {{time}}

Open this link in the browser in which you are logged in:

{{link}}

The link works once, until {{expires}}.

If you do not know what this is about, you can delete this mail: nothing changes without the link.
`,
  'email-undo': `Subject: Your e-mail at {{site}} was changed

Hello,

your account at {{site}} had the e-mail {{email}}, and now has {{current}}.
Changed by: {{address}}
Time: {{time}}

If that was you, there is nothing to do.

If it was not, take it back with this link. It ends every session and the password, and you get a link for a new one:

{{link}}

The link works once, until {{expires}}.
`,
  'password-changed': `Subject: Your password for {{site}} was changed

Hello,

your account {{email}} at {{site}} has a new password.
Changed by: {{address}}
Time: {{time}}

If that was you, there is nothing to do.

If it was not, ask for a new password on the login page, and inform those who run {{site}}.

You log in at {{app}}
`,
  'role-changed': `Subject: Your role at {{site}} was changed

Hello,

your account {{email}} at {{site}} now has the role {{role}}.
Changed by: {{address}}
Time: {{time}}

There is nothing to do. If you did not expect this, ask those who run {{site}}.

You log in at {{app}}
`,
  'factor-added': `Subject: A second factor was added to your account at {{site}}

Hello,

your account {{email}} at {{site}} has a new second factor: {{factor}}.
Added by: {{address}}
Time: {{time}}

If that was you, there is nothing to do.

If it was not, ask those who run {{site}} to remove it. Then ask for a new password on the login page.

You log in at {{app}}
`,
  'factor-removed': `Subject: A second factor was removed from your account at {{site}}

Hello,

{{factor}} was removed from your account {{email}} at {{site}}.
Removed by: {{address}}
Time: {{time}}

If that was you, there is nothing to do.

If it was not, ask for a new password on the login page, and inform those who run {{site}}.

You log in at {{app}}
`,
  'factors-reset': `Subject: Your second factors at {{site}} were removed

Hello,

all second factors and recovery codes of your account {{email}} at {{site}} were removed.
Removed by: {{address}}
Time: {{time}}

You log in with your password, and can add new ones after that. If you did not expect this, ask those who run {{site}}.

You log in at {{app}}
`,
  'recovery-code-used': `Subject: A recovery code of your account at {{site}} was used

Hello,

a recovery code was used to log in to your account {{email}} at {{site}}.
Used by: {{address}}
Time: {{time}}
Recovery codes left: {{codes}}

If that was you, there is nothing to do; with few codes left, make new ones.

If it was not, ask for a new password on the login page, and inform those who run {{site}}.

You log in at {{app}}
`,
};

/** Whether a text needs APP_URL */
export function namesApp(text: string): boolean {
  return /\{\{\s*app\s*\}\}/.test(text);
}

/**
 * @param appUrl without it, our paragraphs that name it are left out
 * @throws {TypeError} if one of them has not the form
 */
export function ourTemplates(appUrl: string | undefined): Templates {
  const parsed = TEXT_NAMES.map((name) => {
    const paragraphs = OURS[name].split('\n\n').filter((paragraph) => appUrl !== undefined || !namesApp(paragraph));
    const template = parseTemplate(name, paragraphs.join('\n\n'));
    if ('fault' in template) throw new TypeError(`${name} ${template.fault}`);
    return [name, template] as const;
  });
  return Object.fromEntries(parsed) as Templates;
}
