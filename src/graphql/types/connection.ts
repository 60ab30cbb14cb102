/** Relay-style connections. */
import { type ClassType, Field, ObjectType } from 'type-graphql';
import type { Page } from '../../admin/page.js';

/** Rows of a page, unless said otherwise. */
export const FIRST = 50;

@ObjectType()
export class PageInfo {
  @Field(() => Boolean)
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'True where the page began after a cursor.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true })
  startCursor!: string | null;

  @Field(() => String, { nullable: true })
  endCursor!: string | null;
}

export interface Connection<T> {
  edges: Array<{ cursor: string; node: T }>;
  pageInfo: PageInfo;
}

/** The classes `<name>Connection` and `<name>Edge`. */
export function connectionType<T extends object>(name: string, nodeType: ClassType<T>): ClassType<Connection<T>> {
  @ObjectType(`${name}Edge`)
  class Edge {
    @Field(() => String, { description: 'Pass it as `after` to go on behind this row.' })
    cursor!: string;

    @Field(() => nodeType)
    node!: T;
  }

  @ObjectType(`${name}Connection`)
  class ConnectionType implements Connection<T> {
    @Field(() => [Edge])
    edges!: Edge[];

    @Field(() => PageInfo)
    pageInfo!: PageInfo;
  }
  return ConnectionType;
}

export function toConnection<T>({ rows, hasNextPage }: Page<T>, after: string | null | undefined): Connection<T> {
  return {
    edges: rows.map(({ cursor, row }) => ({ cursor, node: row })),
    pageInfo: {
      hasNextPage,
      hasPreviousPage: after != null,
      startCursor: rows[0]?.cursor ?? null,
      endCursor: rows.at(-1)?.cursor ?? null,
    },
  };
}
