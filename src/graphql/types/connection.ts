/** Interface 11: connections. Plain fields have simple resolvers: a page has thousands, and each other is a promise. */
import { ArgsType, type ClassType, Ctx, Field, Int, ObjectType } from 'type-graphql';
import type { Count, Page, PageRequest } from '../../listing/page.js';
import type { GraphqlContext } from '../context.js';
import { FIRST } from '../limits.js';
import { spelledEnum } from './spelled-enum.js';

@ArgsType()
export class PageArgs {
  @Field(() => String, { nullable: true, description: '`endCursor` of the page before; left out: from the beginning.' })
  after!: string | null | undefined;

  @Field(() => Int, { nullable: true, defaultValue: FIRST, description: 'Rows of the page, 1 to 100.' })
  first!: number | null;

  /** Null is answered like a `first` that is left out. */
  get page(): PageRequest {
    return { first: this.first ?? FIRST, after: this.after };
  }
}

@ObjectType({ simpleResolvers: true, description: 'Where a page stands in its list.' })
export class PageInfo {
  @Field(() => Boolean, { description: 'True where a page follows, even if this one is short.' }) hasNextPage!: boolean;
  @Field(() => Boolean, { description: 'True where the page began after a cursor.' }) hasPreviousPage!: boolean;
  @Field(() => String, { nullable: true, description: 'Cursor of the first row; null on an empty page.' })
  startCursor!: string | null;
  @Field(() => String, { nullable: true, description: 'Pass it as `after` for the next page, where there is one.' })
  endCursor!: string | null;
}

const CountPrecisionEnum = spelledEnum<Count['precision']>('CountPrecision', 'How a count is to be read.', {
  exact: 'So many rows there are.',
  at_least: 'There are so many rows or more: counting ends at 10,000.',
});

@ObjectType('Count', { simpleResolvers: true, description: 'How many rows a list has, over all pages.' })
export class CountType implements Count {
  @Field(() => Int, { description: 'The number of rows; see `precision`.' }) count!: number;
  @Field(() => CountPrecisionEnum, { description: 'Whether that is all of them.' }) precision!: Count['precision'];
}

export interface Connection<T> {
  edges: Array<{ cursor: string; node: T }>;
  nodes: T[];
  pageInfo: PageInfo;
}

/** The classes `<name>Connection` and `<name>Edge`. @param order of the rows, in a sentence */
export function connectionType<T extends object>(
  name: string,
  nodeType: ClassType<T>,
  order: string,
): ClassType<Connection<T>> {
  @ObjectType(`${name}Edge`, { simpleResolvers: true, description: `A row of \`${name}Connection\`.` })
  class Edge {
    @Field(() => String, { description: 'Pass it as `after` to go on behind this row. Opaque.' })
    cursor!: string;

    @Field(() => nodeType, { description: 'The row.' })
    node!: T;
  }

  @ObjectType(`${name}Connection`, { simpleResolvers: true, description: `A page. ${order}` })
  class ConnectionType implements Connection<T> {
    @Field(() => [Edge], { description: 'The rows, each with its cursor.' })
    edges!: Edge[];

    @Field(() => [nodeType], { description: 'The rows, without cursors.' })
    nodes!: T[];

    @Field(() => PageInfo, { description: 'Whether there is more, and from where.' })
    pageInfo!: PageInfo;
  }
  return ConnectionType;
}

export interface CountedConnection<T> extends Connection<T> {
  /** Counts the rows of all pages; called where the count is asked for. */
  countAll(): Promise<Count>;
}

/** The same with `totalCount`, which is read in a turn of the caller's. */
export function countedConnectionType<T extends object>(
  name: string,
  nodeType: ClassType<T>,
  order: string,
): ClassType<CountedConnection<T>> {
  @ObjectType(`${name}Connection`, { simpleResolvers: true, description: `A page. ${order}` })
  class CountedConnectionType extends connectionType(name, nodeType, order) implements CountedConnection<T> {
    countAll!: () => Promise<Count>;

    @Field(() => CountType, {
      nullable: true,
      description:
        'How many rows there are over all pages, at the same filter. Null beside an error: it was not counted.',
    })
    totalCount(@Ctx() { caller, isGone, turns }: GraphqlContext): Promise<Count> {
      return turns.ofCaller(caller, 'reads', isGone, () => this.countAll());
    }
  }
  return CountedConnectionType;
}

/** For rows that are nodes as they are. */
export const same = <T>(row: T): T => row;

/** @param toNode what a row is for the schema */
export function toConnection<Row, Node>(
  { rows, hasNextPage, endCursor }: Page<Row>,
  { after }: Pick<PageRequest, 'after'>,
  toNode: (row: Row) => Node,
): Connection<Node> {
  const edges = rows.map(({ cursor, row }) => ({ cursor, node: toNode(row) }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage,
      hasPreviousPage: after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: endCursor ?? edges.at(-1)?.cursor ?? null,
    },
  };
}
