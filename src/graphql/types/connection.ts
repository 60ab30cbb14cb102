/** Relay-style connections. Plain fields have simple resolvers: a page has thousands, and each other is a promise. */
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import type { Page, PageRequest } from '../../admin/page.js';

/** Rows of a page, unless said otherwise. */
export const FIRST = 50;

@ArgsType()
export class PageArgs {
  @Field(() => String, { nullable: true }) after!: string | null | undefined;
  @Field(() => Int, { nullable: true, defaultValue: FIRST }) first!: number | null;
  /** Null is answered like a `first` that is left out. */
  get page(): PageRequest {
    return { first: this.first ?? FIRST, after: this.after };
  }
}

@ObjectType({ simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean) hasNextPage!: boolean;
  @Field(() => Boolean, { description: 'True where the page began after a cursor.' }) hasPreviousPage!: boolean;
  @Field(() => String, { nullable: true }) startCursor!: string | null;
  @Field(() => String, { nullable: true, description: 'Pass it as `after` for the next page, where there is one.' })
  endCursor!: string | null;
}

export interface Connection<T> {
  edges: Array<{ cursor: string; node: T }>;
  pageInfo: PageInfo;
}

/** The classes `<name>Connection` and `<name>Edge`. */
export function connectionType<T extends object>(name: string, nodeType: ClassType<T>): ClassType<Connection<T>> {
  @ObjectType(`${name}Edge`, { simpleResolvers: true })
  class Edge {
    @Field(() => String, { description: 'Pass it as `after` to go on behind this row.' })
    cursor!: string;

    @Field(() => nodeType)
    node!: T;
  }

  @ObjectType(`${name}Connection`, { simpleResolvers: true })
  class ConnectionType implements Connection<T> {
    @Field(() => [Edge])
    edges!: Edge[];

    @Field(() => PageInfo)
    pageInfo!: PageInfo;
  }
  return ConnectionType;
}

/** For rows that are nodes as they are. */
export const same = <T>(row: T): T => row;

/** @param toNode what a row is for the schema */
export function toConnection<Row, Node>(
  { rows, hasNextPage, endCursor }: Page<Row>,
  { after }: Pick<PageRequest, 'after'>,
  toNode: (row: Row) => Node,
): Connection<Node> {
  return {
    edges: rows.map(({ cursor, row }) => ({ cursor, node: toNode(row) })),
    pageInfo: {
      hasNextPage,
      hasPreviousPage: after != null,
      startCursor: rows[0]?.cursor ?? null,
      endCursor: endCursor ?? rows.at(-1)?.cursor ?? null,
    },
  };
}
