/** The type `Gateway`: the instance that answers, its keyring, and what `doctor` finds. (Interface 11) */
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import type { TimetableKey } from '../../admin/keyring.js';
import type { LoginAddress, LoginAddresses } from '../../admin/login-addresses.js';
import type { EventType } from '../../audit/events.js';
import type { Setting } from '../../config/environment.js';
import type { KeyPurpose } from '../../credentials/keyring/private-jwks.js';
import type { MailState, WaitingMails } from '../../mail/mail-state.js';
import { AuditEventTypeEnum } from './audit.js';
import { CountType } from './connection.js';
import { GraphQLDateTime } from './scalars.js';
import { spelledEnum } from './spelled-enum.js';

const KeyringKeyPurposeEnum = spelledEnum<KeyPurpose>('KeyringKeyPurpose', 'What a key of the keyring is for.', {
  access: 'Signs access tokens, and the assertions of forward authentication.',
  refresh: 'Signs refresh tokens, and the entries by which devices are known.',
  sealing: 'Seals stored secrets, such as those of API keys and webhooks.',
});

@ObjectType('KeyringKey', { simpleResolvers: true, description: 'A key of the keyring, without its secret.' })
export class KeyringKeyType implements TimetableKey {
  @Field(() => String, { description: 'Id of the key, which is in the header of each token that it signs.' })
  kid!: string;
  @Field(() => KeyringKeyPurposeEnum, { description: 'What the key is for.' }) purpose!: KeyPurpose;
  @Field(() => String, { description: 'Algorithm: `EdDSA`, `ES256`, `RS256`, `HS256` or `A256GCM`.' })
  algorithm!: string;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description:
      'From when on the key is used, if a rotation has added it. In the future, it is only published. Null for the keys with ' +
      'which the keyring was created.',
  })
  usedFrom!: Date | null;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When a newer key takes its place, or has taken it. Null if there is none.',
  })
  usedUntil!: Date | null;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description:
      'When the last token that it has signed expires; a later rotation drops it. Stored secrets are sealed again before. Null ' +
      'if there is no newer key.',
  })
  neededUntil!: Date | null;
  @Field(() => Boolean, {
    description:
      'Whether it is the key that signs or seals now. One key of each purpose is. Older ones verify and open what they have made.',
  })
  isInUse!: boolean;
}

type FindingSeverity = 'fault' | 'warning' | 'ok';

const FindingSeverityEnum = spelledEnum<FindingSeverity>('FindingSeverity', 'How bad a finding is.', {
  fault: 'Something does not work, or is not safe.',
  warning: 'It works, but perhaps not for long.',
  ok: 'All is well.',
});

@ObjectType('Finding', { simpleResolvers: true, description: 'A finding of `doctor`, without secrets.' })
export class FindingType {
  @Field(() => FindingSeverityEnum, { description: 'How bad it is.' }) severity!: FindingSeverity;
  @Field(() => String, {
    description: 'Name of the check, such as `certificate`. Later versions may have others.',
  })
  check!: string;
  @Field(() => String, { description: 'What was found, in a sentence with figures.' }) seen!: string;
  @Field(() => String, {
    nullable: true,
    description: 'What to set, or which command to run. Null if all is well.',
  })
  remedy!: string | null;
}

@ObjectType('GatewayChecks', { simpleResolvers: true, description: 'What `doctor` has found in the running gateway.' })
export class GatewayChecksType {
  @Field(() => GraphQLDateTime, {
    description: 'When the last check ended. For a minute everybody gets these findings.',
  })
  checkedAt!: Date;
  @Field(() => [FindingType], { description: 'Findings of every check, in a fixed order, also if all is well.' })
  findings!: FindingType[];
}

@ObjectType('Setting', { simpleResolvers: true, description: 'An environment variable, as this instance has read it.' })
export class SettingType implements Setting {
  @Field(() => String, { description: 'Name of the variable. docs/configuration.md explains it.' }) name!: string;
  @Field(() => String, {
    nullable: true,
    description: 'Its value, or the default. Null if there is neither, and if it is set and may hold a password.',
  })
  value!: string | null;
  @Field(() => String, { nullable: true, description: 'The default of this set-up. Null if there is none.' })
  default!: string | null;
  @Field(() => Boolean, { description: 'Whether it is set.' }) isSet!: boolean;
}

@ArgsType()
export class LoginAddressesArgs {
  @Field(() => Int, {
    nullable: true,
    description: 'Maximum number of addresses to return, from 1 to 100. 50 by default.',
  })
  first?: number | null;
}

@ObjectType('LoginAddress', { simpleResolvers: true, description: 'An address whose logins are counted.' })
export class LoginAddressType implements LoginAddress {
  @Field(() => String, { description: 'An address of IPv4, or a /64 or /48 network of IPv6.' }) ipAddress!: string;
  @Field(() => Int, { description: 'Number of logins in this window, right or wrong.' }) attempts!: number;
  @Field(() => Int, { description: '`LOGIN_RATE_LIMIT`, for a /48 eight times as many.' }) limit!: number;
  @Field(() => Boolean, { description: 'Whether the next login is refused.' }) isLimited!: boolean;
  @Field(() => GraphQLDateTime, { description: 'When the window ends, and the count with it.' }) endsAt!: Date;
}

@ObjectType('LoginAddresses', {
  simpleResolvers: true,
  description:
    'Addresses with counted logins. At most 10,000 are read: in PostgreSQL those with most logins, in Redis those that it finds first.',
})
export class LoginAddressesType implements LoginAddresses {
  @Field(() => CountType, { description: 'Number of addresses and networks.' }) totalCount!: CountType;
  @Field(() => CountType, { description: 'Number of those that cannot log in now.' }) limitedCount!: CountType;
  @Field(() => [LoginAddressType], { description: 'Those that cannot log in now, then the others, most logins first.' })
  nodes!: LoginAddressType[];
}

@InputType({ description: 'The address whose counts to clear.' })
export class ClearLoginAddressInput {
  @Field(() => String, { description: 'The address, or a network as in `LoginAddress`.' }) ipAddress!: string;
}

@ObjectType({ simpleResolvers: true, description: 'What was cleared.' })
export class ClearLoginAddressPayload {
  @Field(() => Int, { description: 'Number of cleared counts: 0 if there was none.' }) clearedCount!: number;
}

@ObjectType('WaitingMails', { simpleResolvers: true, description: 'Events of one type that wait for their mail.' })
export class WaitingMailsType implements WaitingMails {
  @Field(() => AuditEventTypeEnum, { description: 'Type of the events. Some need no mail after all.' })
  eventType!: EventType;
  @Field(() => Int, { description: 'Number of events that were not tried.' }) queued!: number;
  @Field(() => Int, { description: 'Number of events that are being tried, or have failed and are tried again.' })
  retried!: number;
}

@ObjectType('MailAttempt', { simpleResolvers: true, description: 'An attempt to send a mail.' })
export class MailAttemptType {
  @Field(() => GraphQLDateTime, { description: 'When the attempt ended.' }) at!: Date;
  @Field(() => String, { description: 'Its outcome: `delivered`, or another one of docs/mail.md.' }) outcome!: string;
  @Field(() => Int, { nullable: true, description: 'SMTP status of the answer. Null if there was none.' })
  status!: number | null;
}

@ObjectType('GatewayMail', { simpleResolvers: true, description: 'Mail that waits, and the last attempt.' })
export class GatewayMailType implements MailState {
  @Field(() => [WaitingMailsType], { description: 'Events that wait for their mail, by type.' })
  waiting!: WaitingMailsType[];
  @Field(() => Boolean, { description: 'False if 10,000 events or more wait; then the counts are too low.' })
  isComplete!: boolean;
  @Field(() => Int, { description: 'Seconds for which the oldest event has waited. 0 if none does.' }) lag!: number;
  @Field(() => MailAttemptType, { nullable: true, description: 'The last attempt. Null if there was none.' })
  lastAttempt!: MailAttemptType | null;
}

@ObjectType({ simpleResolvers: true, description: 'Result of the attempt.' })
export class TestMailPayload {
  @Field(() => String, { description: 'As in `MailAttempt`; `timeout` after 3.5 seconds.' }) outcome!: string;
  @Field(() => Int, { nullable: true, description: 'SMTP status of the answer. Null if there was none.' })
  status!: number | null;
  @Field(() => Int, { description: 'From the name of the server to its answer, in milliseconds.' })
  milliseconds!: number;
}

@ObjectType('Gateway', {
  simpleResolvers: true,
  description: 'The running gateway. Of several instances it is the one that answers.',
})
export class GatewayType {
  @Field(() => String, { description: 'Version of the gateway.' }) version!: string;
  @Field(() => String, { description: 'Version of Node on which it runs.' }) nodeVersion!: string;
  @Field(() => GraphQLDateTime, { description: 'When this instance was started.' }) startedAt!: Date;
  @Field(() => String, { description: 'Origin at which the gateway is reached, and issuer of its tokens.' })
  publicUrl!: string;
  @Field(() => Boolean, { description: 'Whether this is a set-up for development, with the explorer.' })
  isDevelopment!: boolean;
  @Field(() => Boolean, { description: 'Whether webhooks are on: `WEBHOOK_HOSTS` is set.' }) areWebhooksOn!: boolean;
  @Field(() => Boolean, { description: 'Whether mail is on: `MAIL` is not `off`.' }) isMailOn!: boolean;
  @Field(() => Boolean, { description: 'Whether devices are known: `KNOWN_DEVICES` is `on`.' })
  areKnownDevicesOn!: boolean;
  @Field(() => [KeyringKeyType], { description: 'Keys of the keyring, by purpose, newest first.' })
  keys!: KeyringKeyType[];
  @Field(() => [SettingType], { description: 'Every environment variable, by name, without secrets.' })
  settings!: SettingType[];
}
