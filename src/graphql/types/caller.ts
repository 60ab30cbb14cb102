/** The identity objects of Spec 2.8. (Interface 7) */
import { type ClassType, Field, ID, Int, InterfaceType, ObjectType } from 'type-graphql';
import type { Caller, CallerType as Kind } from '../../callers/caller.js';
import type { Role } from '../../domain/roles.js';
import { COST_OF_SCOPES } from '../limits.js';
import { spelledEnum } from './spelled-enum.js';

const CallerTypeEnum = spelledEnum<Kind>('CallerType', 'Type of a caller.', {
  user: 'A person, authenticated by an access token.',
  api_key: 'A service, authenticated by a signed request.',
  cron: 'A scheduled job, authenticated by its static internal key.',
});

export const RoleEnum = spelledEnum<Role>('Role', "Role of a user. It determines the user's scopes.", {
  viewer: 'No scopes. Can see and end only their own sessions.',
  analyst: 'Can read users and the audit log: `users:read`, `audit:read`.',
  admin: 'All scopes.',
});

@InterfaceType('Caller', {
  description: 'The authenticated caller of this request.',
  resolveType: ({ callerType }: Caller) => CALLER_TYPES[callerType],
})
export abstract class CallerInterface {
  @Field(() => CallerTypeEnum, { description: 'Type of the caller.' }) callerType!: Kind;
  @Field(() => [String], {
    complexity: COST_OF_SCOPES,
    description:
      'What the caller may do, as `resource:action`. For a user, the scopes that the role has in this service; for a key, the scopes of the key.',
  })
  scopes!: readonly string[];
}

@ObjectType('UserCaller', {
  simpleResolvers: true,
  implements: CallerInterface,
  description: 'A person, authenticated by an access token.',
})
export class UserCallerType extends CallerInterface {
  declare callerType: 'user';

  @Field(() => ID, { description: 'Id of the user, a UUID.' }) sub!: string;
  @Field(() => RoleEnum, { description: 'Role in the access token.' }) role!: Role;
}

@ObjectType({ simpleResolvers: true })
abstract class KeyCallerType extends CallerInterface {
  @Field(() => ID, { description: 'Id of the key.' }) keyId!: string;
  @Field(() => String, { description: 'Name of the service that uses the key.' }) serviceName!: string;
}

@ObjectType('ApiKeyCaller', {
  simpleResolvers: true,
  implements: CallerInterface,
  description: 'A service, authenticated by a signed request.',
})
export class ApiKeyCallerType extends KeyCallerType {
  declare callerType: 'api_key';

  @Field(() => Int, { description: 'Maximum requests per minute, across all instances.' }) rateLimit!: number;
}

@ObjectType('CronCaller', {
  simpleResolvers: true,
  implements: CallerInterface,
  description: 'A scheduled job, authenticated by its static internal key.',
})
export class CronCallerType extends KeyCallerType {
  declare callerType: 'cron';
}

/** The fields of a caller in the schema: all except the session of a user and its proof. The resolver reads the scopes. */
type Shown<K extends Kind> = Omit<
  Extract<Caller, { callerType: K }>,
  'sid' | 'acr' | 'authTime' | 'expiresAt' | 'scopes'
>;

export type CallerObjectType = UserCallerType | ApiKeyCallerType | CronCallerType;

/** The GraphQL type for each kind of caller. */
export const CALLER_TYPES: { [K in Kind]: ClassType<Shown<K>> } = {
  user: UserCallerType,
  api_key: ApiKeyCallerType,
  cron: CronCallerType,
};
