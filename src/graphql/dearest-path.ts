/** Where the cost of a refused operation comes from. (Interface 24) */
import {
  type DocumentNode,
  type FieldNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** What a field costs, with its children */
export interface FieldCost {
  /** In each row of its parent */
  inRow: number;
  /** Apart from that, however many rows there are */
  once: number;
  /** Number of its own rows */
  rows(): number;
}

/** Selections that are read so many times */
interface Part {
  selections: SelectionSetNode | undefined;
  times: number;
}

/**
 * Names of fields from the operation to the dearest one, as long as it has more than half of its parent's cost. Fields of
 * one name count together, whatever their aliases. No more selections are visited than by an estimate.
 * @param variables with their default values
 */
export function dearestPath(
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  costs: ReadonlyMap<FieldNode, FieldCost>,
): string {
  const fragments = new Map(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );
  const isLeftOut = (node: SelectionNode): boolean =>
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true ||
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] === false;
  const fieldsOf = (set: SelectionSetNode | undefined): FieldNode[] =>
    (set?.selections ?? []).flatMap((node) => {
      if (isLeftOut(node)) return [];
      if (node.kind === Kind.FIELD) return node;
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
      return fieldsOf(fragment?.selectionSet);
    });

  const path: string[] = [];
  let parts: Part[] = [{ selections: operation.selectionSet, times: 1 }];
  let whole = 0; // the first step is always taken
  for (;;) {
    const found = new Map<string, { cost: number; parts: Part[] }>();
    for (const { selections, times } of parts) {
      for (const node of fieldsOf(selections)) {
        const field = costs.get(node);
        if (field === undefined) continue;
        const same = found.get(node.name.value) ?? { cost: 0, parts: [] };
        same.cost += times * field.inRow + field.once;
        same.parts.push({ selections: node.selectionSet, times: times * field.rows() });
        found.set(node.name.value, same);
      }
    }
    const [dearest] = [...found].toSorted(([, a], [, b]) => b.cost - a.cost);
    if (dearest === undefined || dearest[1].cost <= whole / 2) return path.join('.');
    path.push(dearest[0]);
    ({ cost: whole, parts } = dearest[1]);
  }
}
