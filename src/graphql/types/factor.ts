/** The type `Factor`. (Interface 20) */
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { ListedFactor } from '../../admin/factors.js';
import type { FactorKind } from '../../domain/factors.js';
import { GraphQLDateTime } from './scalars.js';
import { spelledEnum } from './spelled-enum.js';
import { OfSessionsPayload } from './user.js';

const FactorKindEnum = spelledEnum<FactorKind>('FactorKind', 'Kind of a second factor.', {
  totp: 'An authenticator app, which shows codes (RFC 6238). A user has at most one.',
  passkey: 'A passkey (WebAuthn), which also logs in without a password. A user has at most 10.',
});

@ObjectType('Factor', {
  simpleResolvers: true,
  description: 'A second factor, without which its user cannot log in by password.',
})
export class FactorType implements Omit<ListedFactor, 'userId'> {
  @Field(() => ID, { description: 'Factor id, a UUID.' }) id!: string;
  @Field(() => FactorKindEnum, { description: 'Kind of the factor.' }) kind!: FactorKind;
  @Field(() => String, { description: 'Name that the user gave, or that of the kind.' }) name!: string;
  @Field(() => GraphQLDateTime, { description: 'When the user added the factor.' }) createdAt!: Date;
  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the factor was last used to log in or to confirm. Null if never.',
  })
  lastUsedAt!: Date | null;
}

@InputType({ description: 'The user who has lost their factors.' })
export class ResetFactorsInput {
  @Field(() => ID, { description: 'User id.' }) userId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The changed user, and what was removed.' })
export class ResetFactorsPayload extends OfSessionsPayload {
  @Field(() => Int, { description: 'Number of factors removed.' }) removedFactorCount!: number;
}
