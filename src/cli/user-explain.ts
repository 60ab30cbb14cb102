/** The command `user explain`, and the limits that `user unlock` reports. (Interface 9) */
import { limitedAddresses } from '../admin/login-addresses.js';
import type { LoginExplanation } from '../admin/login-explanation.js';
import { judgeOf, readLoginLimit } from '../admin/login-limit.js';
import { type ListedUser, wordFor } from '../admin/users.js';
import type { AuditRow } from '../audit/log.js';
import type { Config } from '../config/config.js';
import { FACTORS, type FactorName } from '../domain/factors.js';
import { RedisAway } from '../rate-limits/windows.js';
import { type Command, command } from './command.js';
import type { Contexts } from './context.js';
import { printJson, printLines, printMessage } from './terminal.js';
import { USER } from './user-parameter.js';

export const userExplain: Command = command({
  summary: 'explain why a user cannot log in, and how to fix it',
  example: 'user explain ada@example.com',
  prints:
    '`{name, id, reasons: [{reason, message, cure}], …, second_factor: {kinds, recovery_codes, required_by_role}, pending_email: {email, expires_at}, former_emails: [{email, reserved_until}], login_limit: {attempts, window_seconds, gateway}}`; `pending_email` is null if none was asked for; `gateway` is null if none answered at `LISTEN_HOST` and `PORT`, so the limit is that of this environment',
  on: 'database and limits',
  takes: { user: USER },
  run: async (context, { user, json }) => {
    const { config, terminal } = context;
    const { explainLogin } = await import('../admin/login-explanation.js'); // with the libraries of hashes
    const explanation = await explainLogin(context, user);
    if (json) printJson(terminal, printable(explanation));
    else printLines(terminal, sentences(explanation, config, terminal.command));
    return undefined;
  },
});

function printable(explanation: LoginExplanation): object {
  const { user, name, devices, factors, reasons, refused, limited, limit, liveSessions } = explanation;
  const { pendingEmail, formerEmails } = explanation;
  return {
    name,
    id: user?.id ?? null,
    reasons,
    is_active: user?.isActive ?? null,
    failed_login_attempts: user?.failedLoginAttempts ?? null,
    locked_until: user?.lockedUntil?.toISOString() ?? null,
    last_login_at: user?.lastLoginAt?.toISOString() ?? null,
    live_session_count: liveSessions,
    known_device_count: devices.length,
    second_factor: {
      kinds: [...new Set(factors.map(({ kind }) => kind))],
      recovery_codes: explanation.recoveryCodesLeft,
      required_by_role: explanation.isFactorRequired,
    },
    pending_email: pendingEmail
      ? { email: pendingEmail.email, expires_at: pendingEmail.expiresAt.toISOString() }
      : null,
    former_emails: formerEmails.map(({ email, expiresAt }) => ({ email, reserved_until: expiresAt.toISOString() })),
    refused_logins: refused.map(({ createdAt, eventType, ipAddress, userAgent }) => ({
      created_at: createdAt.toISOString(),
      event_type: eventType,
      ip_address: ipAddress,
      user_agent: userAgent,
    })),
    limited_addresses: limited?.ofUser.map(({ key }) => key) ?? null,
    other_limited_addresses: limited?.others.map(({ key }) => key) ?? null,
    login_limit: {
      attempts: limit.rateLimit,
      window_seconds: limit.rateWindowSeconds,
      gateway: limit.isRead ? limit.gateway : null,
    },
  };
}

function sentences(explanation: LoginExplanation, { login }: Config, command: string): string[] {
  const { user, name, factors, reasons, refused, limited, limit, liveSessions } = explanation;
  const lines = reasons.map(({ message, cure }) => message + (cure === null ? '' : ` Fix: ${command} ${cure}`));
  if (user !== undefined && reasons.length === 0) {
    lines.push(
      `Nothing prevents ${name} from logging in except a wrong password${factors.length > 0 ? ' or second factor' : ''}, judged by ${judgeOf(limit)}. Fix: ${command} user reset-link ${wordFor(user)}`,
    );
  }
  if (user !== undefined) lines.push(...aboutFactors(explanation, user, command));
  lines.push(...aboutEmails(explanation));
  if (limited === undefined) lines.push('Limited addresses are unknown: Redis is unreachable.');
  else if (limited.others.length > 0) {
    const others = `${counted(limited.others.length, 'other address', 'other addresses')} cannot log in at present`;
    lines.push(
      `By ${judgeOf(limit)}, ${others}; one may be theirs, since the audit log has only logins whose password was checked. See: ${command} rate-limit list`,
    );
  }
  if (user !== undefined) {
    const { failedLoginAttempts: failures, lastLoginAt } = user;
    const sessions = counted(liveSessions, 'live session', 'live sessions');
    lines.push(
      `Failed logins since the last successful one: ${failures}. By this shell's LOGIN_MAX_FAILURES, ${login.maxFailures} lock the account.`,
      `Last login: ${lastLoginAt?.toISOString() ?? 'never'}; ${sessions}.`,
    );
  }
  lines.push(refused.length === 0 ? 'The audit log has no refused logins.' : 'Refused logins, newest first:');
  for (const { createdAt, ipAddress, userAgent, ...event } of refused) {
    lines.push(`  ${createdAt.toISOString()} ${whatWasWrong(event)}, from ${ipAddress} ${userAgent ?? ''}`);
  }
  return lines.map((line) => line.trimEnd());
}

const WRONG: Record<FactorName, string> = {
  totp: 'wrong code of the authenticator app',
  passkey: 'wrong passkey',
  recovery_code: 'wrong recovery code',
};

function whatWasWrong({ eventType, metadata }: Pick<AuditRow, 'eventType' | 'metadata'>): string {
  if (eventType === 'account_locked') return 'the account was locked';
  const factor = FACTORS.find((name) => name === metadata['factor']);
  return factor === undefined ? 'wrong password, or no such active user' : WRONG[factor];
}

/** What a login needs after the password, and what the role makes of it. */
function aboutFactors(
  { factors, recoveryCodesLeft, isFactorRequired }: LoginExplanation,
  user: ListedUser,
  command: string,
): string[] {
  const byRole = `By this shell's SECOND_FACTOR_ROLES, the role ${user.role} has scopes only after a second factor`;
  if (factors.length === 0) {
    return [
      'Second factors: none.',
      ...(isFactorRequired ? [`${byRole}. There is none yet: the user logs in by password, and adds one.`] : []),
    ];
  }
  const any = factors.map(({ kind, name }) =>
    kind === 'totp' ? 'a code of the authenticator app' : `the passkey "${name}"`,
  );
  const codes = counted(recoveryCodesLeft, 'recovery code is', 'recovery codes are');
  return [
    `After the password, a login needs ${any.join(' or ')}; ${codes} left. If all are lost: ${command} user reset-factors ${wordFor(user)}`,
    ...(isFactorRequired ? [`${byRole}.`] : []),
  ];
}

/** What is under way between two e-mails of the user, which decides by which one they log in. */
function aboutEmails({ pendingEmail, formerEmails }: LoginExplanation): string[] {
  const pending = pendingEmail && [
    `The user has asked for the e-mail ${pendingEmail.email}, and can open the link that was sent there until ${pendingEmail.expiresAt.toISOString()}.`,
  ];
  const former = formerEmails.map(
    ({ email, expiresAt }) =>
      `The former e-mail ${email} is reserved for the user, and can take the change back, until ${expiresAt.toISOString()}.`,
  );
  return [...(pending ?? []), ...former];
}

function counted(count: number, one: string, many: string): string {
  return `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`;
}

/** Reports limited addresses, which are refused even after an account is unlocked. */
export async function reportLimits(context: Contexts['database and limits'], { email }: ListedUser): Promise<void> {
  const { command } = context.terminal;
  try {
    const limit = await readLoginLimit(context.config);
    const { ofUser, others } = await limitedAddresses(context, email, limit);
    const judged = `by ${judgeOf(limit)},`;
    for (const { key, endsAt } of ofUser) {
      const until = `${judged} logins of all users from ${key} are still refused until ${endsAt.toISOString()}`;
      printMessage(context.terminal, `${until}; to allow them: ${command} rate-limit clear --ip ${key}`);
    }
    if (others.length > 0) {
      const addresses = counted(others.length, 'other address', 'other addresses');
      printMessage(
        context.terminal,
        `${judged} ${addresses} cannot log in at present; see: ${command} rate-limit list`,
      );
    }
  } catch (error) {
    if (!(error instanceof RedisAway)) throw error;
    printMessage(context.terminal, 'limited addresses are unknown: Redis is unreachable');
  }
}
