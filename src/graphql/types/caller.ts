/** Interface 7: the identity objects of Spec 2.8. */
import { type ClassType, Field, ID, Int, InterfaceType, ObjectType } from 'type-graphql';
import type { Caller, CallerType as Kind } from '../../callers/caller.js';
import type { Role } from '../../domain/roles.js';
import { COST_OF_SCOPES } from '../limits.js';
import { spelledEnum } from './spelled-enum.js';

const CallerTypeEnum = spelledEnum<Kind>('CallerType', 'The kinds of caller.', {
  user: 'A person, by an access token.',
  api_key: 'A service, by a signed request.',
  cron: 'A scheduled job, by its static internal key.',
});

export const RoleEnum = spelledEnum<Role>('Role', 'What a user may do; scopes follow from it.', {
  viewer: 'No scope: sees and ends its own sessions.',
  analyst: 'Reads users and the audit log: `users:read`, `audit:read`.',
  admin: 'Every scope.',
});

@InterfaceType('Caller', {
  description: 'Who is calling.',
  resolveType: ({ callerType }: Caller) => CALLER_TYPES[callerType],
})
export abstract class CallerInterface {
  @Field(() => CallerTypeEnum, { description: 'The kind of caller.' }) callerType!: Kind;
  @Field(() => [String], {
    complexity: COST_OF_SCOPES,
    description: 'What the caller may do, as `resource:action`: of a role those of this service, of a key its own.',
  })
  scopes!: readonly string[];
}

@ObjectType('UserCaller', {
  simpleResolvers: true,
  implements: CallerInterface,
  description: 'A person, by an access token.',
})
export class UserCallerType extends CallerInterface {
  declare callerType: 'user';

  @Field(() => ID, { description: 'The user id, a UUID.' }) sub!: string;
  @Field(() => RoleEnum, { description: 'The role in the token.' }) role!: Role;
}

@ObjectType({ simpleResolvers: true })
abstract class KeyCallerType extends CallerInterface {
  declare scopes: string[];

  @Field(() => ID, { description: 'The id of the key.' }) keyId!: string;
  @Field(() => String, { description: 'The service that has the key.' }) serviceName!: string;
}

@ObjectType('ApiKeyCaller', {
  simpleResolvers: true,
  implements: CallerInterface,
  description: 'A service, by a signed request.',
})
export class ApiKeyCallerType extends KeyCallerType {
  declare callerType: 'api_key';

  @Field(() => Int, { description: 'Requests per minute, over all instances.' }) rateLimit!: number;
}

@ObjectType('CronCaller', {
  simpleResolvers: true,
  implements: CallerInterface,
  description: 'A scheduled job, by its static internal key.',
})
export class CronCallerType extends KeyCallerType {
  declare callerType: 'cron';
}

/** What the schema shows of a kind: all but the session of a user. */
type Shown<K extends Kind> = Omit<Extract<Caller, { callerType: K }>, 'sid'>;

/** By the kind, as which type a caller is answered. */
export const CALLER_TYPES: { [K in Kind]: ClassType<Shown<K>> } = {
  user: UserCallerType,
  api_key: ApiKeyCallerType,
  cron: CronCallerType,
};
