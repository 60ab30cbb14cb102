/**
 * Operations as trees that are grown at random from a schema and changed. A node is a field, a spread, an inline
 * fragment or raw text; `times` prints it that often, which is how few changes reach the caps.
 */
import { getNamedType, isCompositeType, isLeafType, SchemaMetaFieldDef, TypeMetaFieldDef } from 'graphql';
import { ENDLESS } from './print.mjs';
import { spoilerOf } from './spoil.mjs';
import { diceOf, valuesOf } from './values.mjs';

const TIMES = [2, 3, 5, 10, 15, 30, 100, 400];

/**
 * @param without names of fields and changes to leave out
 * @returns how to make operations of the schema, and to change them
 */
export function operationsOf(schema, random, { without, hasMutations }) {
  const dice = diceOf(random);
  const { whole, chance, pick } = dice;
  const { argumentsFor, ...values } = valuesOf(dice);

  // --- nodes ---

  function fieldsOf(type) {
    const own = typeof type.getFields === 'function' ? Object.values(type.getFields()) : [];
    const meta = type === schema.getQueryType() ? [SchemaMetaFieldDef, TypeMetaFieldDef] : [];
    return [...own, ...meta].filter(({ name }) => !without.has(name));
  }

  function fieldNode(type, field, depth) {
    const node = {
      kind: 'field',
      parent: type,
      field,
      args: argumentsFor(field),
      times: 1,
      directives: '',
      selections: [],
    };
    const named = getNamedType(field.type);
    if (isCompositeType(named)) node.selections = selectionsFor(named, depth - 1);
    return node;
  }

  function selectionsFor(type, depth) {
    const fields = fieldsOf(type);
    const isDeep = (field) => isCompositeType(getNamedType(field.type));
    const leaves = fields.filter((field) => !isDeep(field));
    const deep = fields.filter(isDeep);
    const chosen = leaves.filter(() => chance(0.8));
    if (depth > 0 && deep.length > 0)
      chosen.push(...(chance(0.5) ? deep.filter((f) => !f.name.startsWith('__')) : [pick(deep)]));
    if (chosen.length === 0) return [raw('__typename', type)];
    return chosen.map((field) => fieldNode(type, field, depth));
  }

  const raw = (text, type) => ({ kind: 'raw', text, parent: type, times: 1 });

  /** Any type with fields, every node, with what holds it. */
  function places(operation) {
    const found = [];
    const walk = (selections, type, depth) => {
      found.push({ selections, type, depth });
      for (const node of selections) {
        if (node.kind === 'field' && node.selections.length > 0)
          walk(node.selections, getNamedType(node.field.type), depth + 1);
        if (node.kind === 'inline') walk(node.selections, node.type, depth + 1);
      }
    };
    walk(operation.selections, operation.root, 1);
    for (const { selections, type } of operation.fragments) walk(selections, type, 3);
    return found;
  }

  function nodes(operation) {
    return places(operation).flatMap((place) => place.selections.map((node, index) => ({ ...place, node, index })));
  }

  const copy = (operation) => ({
    ...operation,
    selections: copyOf(operation.selections),
    fragments: operation.fragments.map((fragment) => ({ ...fragment, selections: copyOf(fragment.selections) })),
    spoils: [...operation.spoils],
    padding: { ...operation.padding },
  });
  const copyOf = (selections) =>
    selections.map((node) => ({ ...node, ...(node.selections && { selections: copyOf(node.selections) }) }));

  function grow() {
    const root = hasMutations && chance(0.5) ? schema.getMutationType() : schema.getQueryType();
    const fields = fieldsOf(root).filter(({ name }) => !name.startsWith('__') || chance(0.2));
    const count = chance(0.7) ? 1 : 1 + whole(3);
    const selections = Array.from({ length: count }, () => fieldNode(root, pick(fields), pick([1, 2, 3, 4, 6])));
    return {
      root,
      isMutation: root === schema.getMutationType(),
      selections,
      fragments: [],
      spoils: [],
      padding: { text: '', bytes: 0 },
    };
  }

  // --- changes that keep an operation valid, more or less ---

  const growing = {
    another(operation) {
      const { selections, type, depth } = pick(places(operation));
      const fields = fieldsOf(type);
      if (fields.length > 0) selections.push(fieldNode(type, pick(fields), Math.max(0, 6 - depth)));
    },
    everyField(operation) {
      const place = pick(places(operation));
      const have = new Set(place.selections.map((node) => node.field?.name));
      const missing = fieldsOf(place.type).filter(
        (field) => !have.has(field.name) && isLeafType(getNamedType(field.type)),
      );
      place.selections.push(...missing.map((field) => fieldNode(place.type, field, 0)));
    },
    more(operation) {
      const { node } = pick(nodes(operation));
      node.times =
        node.times > 1 && chance(0.6) ? Math.min(900, Math.ceil(node.times * pick([1.1, 1.5, 2]))) : pick(TIMES);
    },
    alias(operation) {
      const { node } = pick(nodes(operation));
      if (node.kind !== 'field') return;
      node.alias = !node.alias;
      if (node.alias) node.times = pick([2, 5, 10, 15]);
    },
    otherArguments(operation) {
      const found = nodes(operation).filter(({ node }) => node.kind === 'field' && node.field.args.length > 0);
      if (found.length > 0) {
        const { node } = pick(found);
        node.args = argumentsFor(node.field);
      }
    },
    variables(operation) {
      for (const { node } of nodes(operation)) {
        if (node.args)
          node.args = Object.fromEntries(
            Object.entries(node.args).map(([name, arg]) => [name, { ...arg, isVariable: true }]),
          );
      }
    },
    fragment(operation) {
      const place = pick(places(operation));
      const name = `F${operation.fragments.length}`;
      operation.fragments.push({ name, type: place.type, selections: copyOf(place.selections) });
      const spread = { kind: 'spread', name, parent: place.type, times: pick([1, ...TIMES]), directives: '' };
      if (chance(0.7)) place.selections.length = 0;
      place.selections.push(spread);
    },
    spread(operation) {
      const [fragment, place] = [pick(operation.fragments), pick(places(operation))];
      const isOwn = operation.fragments.some((other) => other.selections === place.selections);
      if (!fragment || isOwn || (place.type !== fragment.type && chance(0.9))) return;
      place.selections.push({
        kind: 'spread',
        name: fragment.name,
        parent: place.type,
        times: pick([1, ...TIMES]),
        directives: '',
      });
    },
    /** Each spreads the next twice: few tokens, many ways to one field. */
    chain(operation) {
      const place = pick(places(operation));
      const length = pick([2, 4, 6, 8]);
      const base = operation.fragments.length;
      const inner = copyOf(place.selections);
      place.selections.splice(0, Number.POSITIVE_INFINITY, {
        kind: 'spread',
        name: `F${base}`,
        parent: place.type,
        times: 2,
        directives: '',
      });
      for (let i = 0; i < length; i += 1) {
        const next = {
          kind: 'spread',
          name: `F${base + i + 1}`,
          parent: place.type,
          times: pick([2, 3, 10]),
          directives: '',
        };
        operation.fragments.push({
          name: `F${base + i}`,
          type: place.type,
          selections: i + 1 === length ? inner : [next],
        });
      }
    },
    inline(operation) {
      const place = pick(places(operation));
      const selections = copyOf(place.selections);
      if (chance(0.5)) place.selections.length = 0;
      place.selections.push({
        kind: 'inline',
        type: place.type,
        named: chance(0.7),
        selections,
        parent: place.type,
        times: pick([1, ...TIMES]),
        directives: '',
      });
    },
    typename(operation) {
      const place = pick(places(operation));
      place.selections.push({ ...raw('__typename', place.type), times: pick(TIMES) });
    },
    condition(operation) {
      const { node } = pick(nodes(operation));
      if (node.kind === 'raw') return;
      node.directives = pick([
        '',
        '@include(if:true)',
        '@include(if:$yes)',
        '@include(if:$#)',
        '@skip(if:$no)',
        '@skip(if:true)',
      ]);
    },
    padding(operation) {
      operation.padding = {
        text: pick(['\n', '\n', '\r', ',', ' ', '#\n', '\u2028']),
        bytes: pick([0, 1_000, 20_000, ENDLESS]),
        isBetween: chance(0.5),
      };
    },
    operations(operation) {
      operation.others = pick([0, 1, 5, 50, 300]);
    },
    deeper(operation) {
      const place = pick(places(operation));
      const deep = fieldsOf(place.type).filter((field) => isCompositeType(getNamedType(field.type)));
      if (deep.length > 0) place.selections.push(fieldNode(place.type, pick(deep), 6));
    },
  };

  const shrinking = {
    drop(operation) {
      const { selections, index } = pick(nodes(operation));
      if (selections.length > 1) selections.splice(index, 1);
    },
    fewer(operation) {
      const many = nodes(operation).filter(({ node }) => node.times > 1);
      if (many.length === 0) return shrinking.drop(operation);
      const { node } = pick(many);
      node.times = Math.max(1, Math.floor(node.times * pick([0.5, 0.8, 0.95])));
    },
    smallerPages(operation) {
      for (const { node } of nodes(operation)) {
        const first = node.args?.first;
        if (first && chance(0.5)) node.args = { ...node.args, first: { ...first, value: Math.ceil(first.value / 2) } };
      }
    },
  };
  const spoil = spoilerOf(schema, dice, values, { TIMES, ENDLESS, without, fieldsOf, fieldNode, places, raw });

  const growNames = Object.keys(growing).filter((name) => !without.has(name));

  function change(operation, isToBeRefused) {
    const changed = copy(operation);
    for (let count = pick([1, 1, 2, 4]); count > 0; count -= 1) {
      if (isToBeRefused && chance(0.4)) spoil(changed);
      else if (chance(0.15)) pick(Object.values(shrinking))(changed);
      else growing[pick(growNames)](changed);
    }
    return changed;
  }

  function shrink(operation) {
    const changed = copy(operation);
    for (let count = pick([1, 2, 4]); count > 0; count -= 1)
      pick([shrinking.drop, shrinking.fewer, shrinking.fewer, shrinking.smallerPages])(changed);
    return changed;
  }

  function cross(one, other) {
    const child = copy(one);
    if (one.root !== other.root) return child;
    const base = child.fragments.length;
    const renamed = (selections) =>
      copyOf(selections).map((node) => ({
        ...node,
        ...(node.kind === 'spread' && { name: `F${Number(node.name.slice(1)) + base}` }),
        ...(node.selections && { selections: renamed(node.selections) }),
      }));
    for (const { name, type, selections } of other.fragments) {
      child.fragments.push({ name: `F${Number(name.slice(1)) + base}`, type, selections: renamed(selections) });
    }
    child.selections.push(...renamed(other.selections));
    return child;
  }
  return { grow, change, shrink, cross, learn: values.learn };
}
