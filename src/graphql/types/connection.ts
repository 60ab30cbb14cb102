/**
 * The types of connections. Plain fields have simple resolvers: a page has thousands, and each other field costs a
 * promise. (Interface 11)
 */
import { ArgsType, type ClassType, Ctx, Field, InputType, Int, ObjectType } from 'type-graphql';
import type { Direction, OrderedPageRequest, Ordering, PageRequest } from '../../listing/keyset.js';
import type { Count, Page } from '../../listing/page.js';
import type { Waiting } from '../concurrency.js';
import { spelledEnum } from './spelled-enum.js';

@ArgsType()
export class PageArgs implements PageRequest {
  @Field(() => Int, {
    nullable: true,
    description: 'Maximum number of rows to return, from 1 to 100. 50 if neither `first` nor `last` is given.',
  })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Returns the rows after this cursor: the `endCursor` of the previous page. Omit it to start at the beginning.',
  })
  after?: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Like `first`, but going backward: the last rows, in the order of the list. Send it without `first` and `after`.',
  })
  last?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Going backward, returns the rows before this cursor: the `startCursor` of the page that follows.',
  })
  before?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'Position of a page in its list.' })
export class PageInfo {
  @Field(() => Boolean, {
    description:
      'Whether another page follows. It may be true even if this page has fewer rows than requested. Going backward, ' +
      'whether `before` was given.',
  })
  hasNextPage!: boolean;
  @Field(() => Boolean, {
    description: 'Going backward, whether another page precedes. Going forward, whether `after` was given.',
  })
  hasPreviousPage!: boolean;
  @Field(() => String, {
    nullable: true,
    description: 'Cursor to pass as `before` to get the page that precedes. Null if the page is empty.',
  })
  startCursor!: string | null;
  @Field(() => String, { nullable: true, description: 'Cursor to pass as `after` to get the next page.' })
  endCursor!: string | null;
}

const DirectionEnum = spelledEnum<Direction>(
  'OrderDirection',
  'Direction of an order. Rows without a value are last in both.',
  {
    asc: 'Ascending: A to Z, the oldest first.',
    desc: 'Descending: Z to A, the newest first.',
  },
);

/** `PageArgs` with `order`, the input `<name>Ordering` and the enum `<name>OrderField`. @param fields descriptions by name */
export function orderedPageArgs<F extends string>(
  name: string,
  fields: Record<F, string>,
): ClassType<OrderedPageRequest<F>> {
  const FieldEnum = spelledEnum<F>(`${name}OrderField`, 'What a list can be ordered by.', fields);

  @InputType(`${name}Ordering`, {
    description: 'Order of a list. A cursor continues the order that it comes from, and no other.',
  })
  class Ordered implements Required<Ordering<F>> {
    @Field(() => FieldEnum, { description: 'Orders by this field.' }) field!: F;
    @Field(() => DirectionEnum, { description: 'The direction.' }) direction!: Direction;
  }

  @ArgsType()
  class OrderedPageArgs extends PageArgs {
    @Field(() => Ordered, { nullable: true, description: 'Order of the list, if not the usual one.' })
    order?: Ordered | null;
  }
  return OrderedPageArgs;
}

const CountPrecisionEnum = spelledEnum<Count['precision']>('CountPrecision', 'Precision of a count.', {
  exact: 'Exact number of rows.',
  at_least: 'Lower bound: counting stops at 10,000.',
});

@ObjectType('Count', { simpleResolvers: true, description: 'Number of rows in a list, across all pages.' })
export class CountType implements Count {
  @Field(() => Int, { description: 'Number of rows. See `precision`.' }) count!: number;
  @Field(() => CountPrecisionEnum, { description: 'Whether `count` is exact.' }) precision!: Count['precision'];
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
  @ObjectType(`${name}Edge`, { simpleResolvers: true, description: `A row in \`${name}Connection\`, with its cursor.` })
  class Edge {
    @Field(() => String, {
      description:
        'Opaque cursor. Pass it as `after` to get the rows that follow this one, as `before` to get those that precede it.',
    })
    cursor!: string;

    @Field(() => nodeType, { description: 'The row.' })
    node!: T;
  }

  @ObjectType(`${name}Connection`, { simpleResolvers: true, description: `A page of results. ${order}` })
  class ConnectionType implements Connection<T> {
    @Field(() => [Edge], { description: 'Rows with their cursors.' })
    edges!: Edge[];

    @Field(() => [nodeType], { description: 'Rows without cursors.' })
    nodes!: T[];

    @Field(() => PageInfo, { description: 'Information for requesting the next page.' })
    pageInfo!: PageInfo;
  }
  return ConnectionType;
}

export interface CountedConnection<T> extends Connection<T> {
  /** Counts the rows of all pages; called only if the count is requested. */
  countAll(): Promise<Count>;
}

/** The same with `totalCount`, which is read within the limit of the caller. */
export function countedConnectionType<T extends object>(
  name: string,
  nodeType: ClassType<T>,
  order: string,
): ClassType<CountedConnection<T>> {
  @ObjectType(`${name}Connection`, { simpleResolvers: true, description: `A page of results. ${order}` })
  class CountedConnectionType extends connectionType(name, nodeType, order) implements CountedConnection<T> {
    countAll!: () => Promise<Count>;

    @Field(() => CountType, {
      nullable: true,
      description: 'Number of rows that match the filter, across all pages. Null if counting failed; see `errors`.',
    })
    totalCount(@Ctx() { caller, isGone, concurrency }: Waiting): Promise<CountType> {
      return concurrency.ofCaller(caller, 'reads', isGone, () => this.countAll());
    }
  }
  return CountedConnectionType;
}

/** For rows that need no conversion to nodes. */
export const same = <T>(row: T): T => row;

/** @param toNode converts a row to its GraphQL type */
export function toConnection<Row, Node>(
  { rows, ...pageInfo }: Page<Row>,
  toNode: (row: Row) => Node,
): Connection<Node> {
  const edges = rows.map(({ cursor, row }) => ({ cursor, node: toNode(row) }));
  return { edges, nodes: edges.map(({ node }) => node), pageInfo };
}
