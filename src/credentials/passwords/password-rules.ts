/** Rules for a password when it is set. Login does not apply them. (Interface 15, NIST SP 800-63B-4 section 3.1.1.2) */
import type { Config } from '../../config/config.js';
import { type BreachedPasswords, openBreachedPasswords } from './breached-passwords.js';
import { readCommonPasswords } from './common-passwords.js';
import { normalise } from './normal-form.js';
import { isMadeOfContext } from './password-context.js';
import { isShortEnough, MAX_PASSWORD_BYTES } from './password-text.js';

export const PASSWORD_FAULT_REASONS = ['too_short', 'too_long', 'current', 'context', 'common', 'breached'] as const;
/** Reasons of Interface 15 */
export type PasswordFaultReason = (typeof PASSWORD_FAULT_REASONS)[number];

export interface PasswordFault {
  reason: PasswordFaultReason;
  /** Begins with "must", and never repeats the password */
  message: string;
}

export interface PasswordRules {
  /**
   * The first rule that a new password breaks. It never says `current`, which only the caller can know.
   * @param password valid text
   * @param email of the user, if known
   * @throws {Outage} if the breached passwords cannot be read
   */
  faultOf(password: string, email: string | undefined): Promise<PasswordFault | undefined>;
}

/** Unicode code points, as typed */
export const MIN_PASSWORD_CHARACTERS = 15;

const TOO_SHORT = { reason: 'too_short', message: `must have at least ${MIN_PASSWORD_CHARACTERS} characters` } as const;
const TOO_LONG = { reason: 'too_long', message: `must have at most ${MAX_PASSWORD_BYTES} bytes` } as const;
const CONTEXT = {
  reason: 'context',
  message: 'must be more than the e-mail address or the host name with a few characters around it',
} as const;
const COMMON = { reason: 'common', message: 'must not be a commonly used password' } as const;
const BREACHED = { reason: 'breached', message: 'must not be a password that is known from a data breach' } as const;

/** For callers that have found that the new password is the current one */
export const CURRENT_FAULT: PasswordFault = { reason: 'current', message: 'must differ from the current password' };

type RulesConfig = Pick<Config, 'publicUrl' | 'breachedPasswords'>;

/** @throws {BreachedPasswordsError} if `BREACHED_PASSWORDS` is set and cannot be used */
export async function createPasswordRules({ publicUrl, breachedPasswords }: RulesConfig): Promise<PasswordRules> {
  const { hostname } = new URL(publicUrl);
  const breached = breachedPasswords === undefined ? undefined : await openBreachedPasswords(breachedPasswords);
  return { faultOf: (password, email) => faultOf(password, email, hostname, breached) };
}

/** For a command, which may set no password: the breached passwords are opened at the first one. */
export function createPasswordRulesOnDemand(config: RulesConfig): PasswordRules {
  let rules: Promise<PasswordRules> | undefined;
  return {
    faultOf: async (password, email) => {
      rules ??= createPasswordRules(config);
      return (await rules).faultOf(password, email);
    },
  };
}

async function faultOf(
  password: string,
  email: string | undefined,
  host: string,
  breached: BreachedPasswords | undefined,
): Promise<PasswordFault | undefined> {
  if ([...password].length < MIN_PASSWORD_CHARACTERS) return TOO_SHORT;
  if (!isShortEnough(password)) return TOO_LONG;
  if (isMadeOfContext(password, host, email)) return CONTEXT;
  if ((await commonPasswords()).has(normalise(password))) return COMMON;
  if (await breached?.has(password)) return BREACHED;
  return undefined;
}

let loaded: ReadonlySet<string> | undefined;

/** Loaded when the first password is set, so that neither the start nor a command waits for it. */
async function commonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= new Set(await readCommonPasswords());
  return loaded;
}
