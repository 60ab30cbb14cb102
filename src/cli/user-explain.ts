/** Interface 9: `user explain`, and what other commands say of a user who cannot log in. */
import { limitedAddresses } from '../admin/login-addresses.js';
import { explainLogin, type LoginExplanation, wordFor } from '../admin/login-explanation.js';
import type { ListedUser } from '../admin/users.js';
import type { Config } from '../config/config.js';
import { RedisAway } from '../rate-limits/windows.js';
import { type Command, command } from './command.js';
import type { Contexts } from './context.js';
import { printJson, printLines, say } from './terminal.js';
import { USER } from './user-word.js';

export const userExplain: Command = command({
  does: 'tells why somebody cannot log in, and what helps',
  example: 'user explain ada@example.com',
  on: 'database and limits',
  takes: { user: USER },
  run: async (context, { user, json }) => {
    const { config, terminal } = context;
    const explanation = await explainLogin(context, user);
    if (json) printJson(terminal, printable(explanation));
    else printLines(terminal, sentences(explanation, config, terminal.command));
    return undefined;
  },
});

function printable({ user, name, hindrances, refused, limited, liveSessions }: LoginExplanation): object {
  return {
    name,
    id: user?.id ?? null,
    reasons: hindrances,
    is_active: user?.isActive ?? null,
    failed_login_attempts: user?.failedLoginAttempts ?? null,
    locked_until: user?.lockedUntil?.toISOString() ?? null,
    last_login_at: user?.lastLoginAt?.toISOString() ?? null,
    live_session_count: liveSessions,
    refused_logins: refused.map(({ createdAt, eventType, ipAddress, userAgent }) => ({
      created_at: createdAt.toISOString(),
      event_type: eventType,
      ip_address: ipAddress,
      user_agent: userAgent,
    })),
    limited_addresses: limited?.ofUser.map(({ key }) => key) ?? null,
    other_limited_addresses: limited?.others.map(({ key }) => key) ?? null,
  };
}

function sentences(explanation: LoginExplanation, { login }: Config, command: string): string[] {
  const { user, name, hindrances, refused, limited, liveSessions } = explanation;
  const lines = hindrances.map(({ message, cure }) => message + (cure === null ? '' : ` Cure: ${command} ${cure}`));
  if (user !== undefined && hindrances.length === 0) {
    lines.push(
      `Nothing keeps ${name} from logging in now but a wrong password. Cure: ${command} user set-password ${wordFor(user)}`,
    );
  }
  if (limited === undefined) lines.push('Whether an address is limited cannot be told: Redis is away.');
  else if (limited.others.length > 0) {
    const others = `${counted(limited.others.length, 'other address', 'other addresses')} may not log in at present`;
    lines.push(
      `${others}, perhaps theirs: only a password that was checked leaves a trace. See: ${command} rate-limit list`,
    );
  }
  if (user !== undefined) {
    const { failedLoginAttempts: failures, lastLoginAt } = user;
    const sessions = counted(liveSessions, 'live session', 'live sessions');
    lines.push(
      `Failed logins since the last good one: ${failures}; ${login.maxFailures} lock the account.`,
      `Last login: ${lastLoginAt?.toISOString() ?? 'never'}; ${sessions}.`,
    );
  }
  lines.push(refused.length === 0 ? 'The audit log has no refused login.' : 'Refused logins, the newest first:');
  for (const { createdAt, eventType, ipAddress, userAgent } of refused) {
    lines.push(`  ${createdAt.toISOString()} ${WORDS[eventType] ?? eventType}, from ${ipAddress} ${userAgent ?? ''}`);
  }
  return lines.map((line) => line.trimEnd());
}

const WORDS: Record<string, string> = {
  login_failure: 'wrong password, or no such active user',
  account_locked: 'the account was locked',
};

function counted(count: number, one: string, many: string): string {
  return `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`;
}

/** After the lock of an account is lifted: a limited address is refused all the same. */
export async function tellLimited(context: Contexts['database and limits'], { email }: ListedUser): Promise<void> {
  const { command } = context.terminal;
  try {
    const { ofUser, others } = await limitedAddresses(context, email);
    for (const { key, endsAt } of ofUser) {
      const until = `Logins from ${key} are still refused until ${endsAt.toISOString()}`;
      say(context.terminal, `${until}, whoever they are of; to allow them: ${command} rate-limit clear --ip ${key}`);
    }
    if (others.length > 0) {
      const addresses = counted(others.length, 'other address', 'other addresses');
      say(context.terminal, `${addresses} may not log in at present: ${command} rate-limit list`);
    }
  } catch (error) {
    if (!(error instanceof RedisAway)) throw error;
    say(context.terminal, 'whether an address is limited cannot be told: Redis is away');
  }
}
