/** Changes that make an operation invalid, each in its own way. */
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
} from 'graphql';
import { literal } from './print.mjs';

/** @returns a function that spoils an operation in place */
export function spoilerOf(
  schema,
  { whole, chance, pick },
  { valueFor },
  { TIMES, ENDLESS, without, fieldsOf, fieldNode, places, raw },
) {
  const OTHER_TYPE = () => pick(Object.values(schema.getTypeMap()).filter((type) => isCompositeType(type)));
  const typo = (name) =>
    pick([
      `${name}s`,
      name.slice(0, -1) || 'q',
      `x${name}`,
      name.split('').reverse().join(''),
      `${name}${'y'.repeat(whole(60))}`,
    ]);
  const spoiling = {
    unknownField: (place) => raw(typo(pick(fieldsOf(place.type))?.name ?? 'nothing'), place.type),
    unknownFields: (place) => raw(typo(pick(fieldsOf(place.type))?.name ?? 'nothing').concat('#'), place.type),
    unknownArgument: (place) => raw(`${pick(fieldsOf(place.type))?.name ?? 'id'}(${typo('first')}:1)`, place.type),
    unknownArguments: (place) =>
      raw(`${pick(fieldsOf(place.type))?.name ?? 'id'}(${'firts:1 '.repeat(whole(300) + 1)})`, place.type),
    wrongLiteral: (place) => {
      const field = pick(fieldsOf(place.type).filter(({ args }) => args.length > 0));
      const values = [
        '"x"',
        '{a:1}',
        '[1]',
        'LOGIN',
        '1.5',
        '$u',
        `[${'1 '.repeat(whole(500))}]`,
        `[${'login '.repeat(whole(500))}]`,
      ];
      return field && raw(`${field.name}(${pick(field.args).name}:${pick(values)})`, place.type);
    },
    wrongInput: (place) => {
      const fields = fieldsOf(place.type).filter(({ args }) =>
        args.some(({ type }) => isInputObjectType(getNamedType(type))),
      );
      const arg = pick(fields)?.args.find(({ type }) => isInputObjectType(getNamedType(type)));
      if (arg === undefined) return undefined;
      const inner = Object.keys(getNamedType(arg.type).getFields());
      const field = fields.find(({ args }) => args.includes(arg));
      const text = Array.from({ length: 1 + whole(300) }, () => `${typo(pick(inner))}:1`).join(' ');
      return raw(`${field.name}(${arg.name}:{${text}})`, place.type);
    },
    undefinedVariable: (place) => raw('__typename @include(if:$nothing#)', place.type),
    unknownDirective: (place) => raw('__typename@includ(if:1)', place.type),
    sameDirective: (place) => raw('__typename@skip(if:false)@skip(if:false)', place.type),
    unknownFragment: (place) => raw('...Nothing#', place.type),
    unknownType: (place) => raw(`...on ${typo(OTHER_TYPE().name)}{a}`, place.type),
    impossibleType: (place) => raw(`...on ${OTHER_TYPE().name}{__typename}`, place.type),
    leafWithFields: (place) => raw(`${pick(fieldsOf(place.type))?.name ?? 'id'}{a}`, place.type),
    treeWithout: (place) => raw(pick(fieldsOf(place.type))?.name ?? 'id', place.type),
    sameKey: (place) => raw(`k:${pick(fieldsOf(place.type))?.name ?? 'id'}`, place.type),
    sameKeys: (place) => {
      const deep = fieldsOf(place.type).filter((field) => isCompositeType(getNamedType(field.type)));
      const field = pick(deep);
      return field && { ...fieldNode(place.type, field, 2), times: pick(TIMES), argsDiffer: true };
    },
    cycle: (place, operation) => {
      const name = `F${operation.fragments.length}`;
      const spread = { kind: 'spread', name, parent: place.type, times: pick(TIMES), directives: '' };
      operation.fragments.push({ name, type: place.type, selections: [{ ...spread }] });
      return spread;
    },
  };
  /** A variable for an input object whose value does not fit in many places. */
  function badInput(count) {
    const inputOf = ({ args }) => args.find(({ type }) => isInputObjectType(getNamedType(type)));
    const root = schema.getQueryType();
    const field = pick(fieldsOf(root).filter(inputOf));
    if (field === undefined) return {};
    const arg = inputOf(field);
    const lists = Object.values(getNamedType(arg.type).getFields()).filter(({ type }) =>
      isListType(getNullableType(type)),
    );
    const many = count * 20;
    const value = chance(0.5)
      ? Object.fromEntries(Array.from({ length: many }, (_, i) => [`k${i}`, 1]))
      : Object.fromEntries(lists.map(({ name }) => [name, Array(many).fill(pick(['login', 1, {}]))]));
    const others = field.args.filter((other) => other !== arg && isRequiredArgument(other));
    const list = others.map((other) => `${other.name}:${literal(valueFor(other.type, other.name), other.type)}`);
    const deep = isCompositeType(getNamedType(field.type)) ? '{__typename}' : '';
    return {
      text: `$bad:${arg.type}`,
      value: { bad: value },
      use: `${field.name}(${arg.name}:$bad ${list.join(' ')})${deep}`,
    };
  }

  const spoilingWhole = {
    unusedVariables: (count) => ({ variables: count, isBad: false }),
    badVariables: (count) => ({ variables: count, isBad: true }),
    sameVariables: (count) => ({ variables: count, isSame: true }),
    unusedFragments: (count) => ({ fragments: count }),
    sameFragments: (count) => ({ fragments: count, isSame: true }),
    cyclicFragments: (count) => ({ fragments: count, isCyclic: true }),
    typeDefinitions: (count) => ({ definitions: count }),
    badInput,
    wrongName: () => ({ operationName: 'x'.repeat(whole(ENDLESS)) }),
  };
  function spoil(operation) {
    const names = [...Object.keys(spoiling), ...Object.keys(spoilingWhole)].filter((name) => !without.has(name));
    const name = pick(names);
    if (name in spoilingWhole) {
      operation.spoils.push({ name, ...spoilingWhole[name](pick(TIMES)) });
      return;
    }
    const place = pick(places(operation));
    const node = spoiling[name](place, operation);
    if (node) place.selections.push({ ...node, times: Math.max(node.times, pick([1, ...TIMES])) });
  }

  return spoil;
}
