/** Values of arguments at random, by the name and type of who asks. */
import { getNamedType, isEnumType, isInputObjectType, isListType, isNonNullType, isRequiredArgument } from 'graphql';
import { DAYS, IDS, TEXTS, TIME_ZONES } from './data.mjs';

/** @param random numbers from 0 to 1 */
export function diceOf(random) {
  const whole = (below) => Math.floor(random() * below);
  return { random, whole, chance: (probability) => random() < probability, pick: (list) => list[whole(list.length)] };
}

export function valuesOf({ random, whole, chance, pick }) {
  const cursors = [];

  function idFor(words) {
    if (chance(0.03)) return 'no such id';
    const kinds = words
      .toLowerCase()
      .split(' ')
      .map((word) => Object.keys(IDS).find((name) => word.includes(name)));
    const kind = kinds.find((found) => found !== undefined);
    return pick(kind === undefined ? Object.values(IDS).flat() : IDS[kind]);
  }

  function textFor(words) {
    if (/cursor|after|before/i.test(words)) return cursors.length > 0 && chance(0.5) ? pick(cursors) : undefined;
    if (/timeZone/.test(words)) return pick(TIME_ZONES);
    if (chance(0.05))
      return pick(TEXTS)
        .repeat(1 + whole(5_000))
        .slice(0, whole(50_000));
    return pick(TEXTS);
  }

  function scalarFor(name, words) {
    if (name === 'Boolean') return chance(0.5);
    if (name === 'Int') return /first|last|limit/i.test(words) ? pick([1, 10, 50, 99, 100]) : whole(10_000);
    if (name === 'Float') return random() * 10_000;
    if (name === 'ID') return idFor(words);
    if (/date|time/i.test(name)) {
      const isLate = /until|to$|before|end/i.test(words);
      const ago = isLate ? 0 : pick([DAYS + 1, DAYS, DAYS / 2, 62, 30, 1, 0.9]);
      return new Date(Date.now() - ago * 86_400_000 + (isLate ? 3_600_000 : 0)).toISOString();
    }
    return textFor(words);
  }

  function valueFor(type, words, depth = 0) {
    if (isNonNullType(type)) return valueFor(type.ofType, words, depth) ?? scalarFor('Int', words);
    if (isListType(type)) {
      const length = pick([0, 1, 2, 5, 17, 50, 500, 5_000]);
      return Array.from({ length }, () => valueFor(type.ofType, words, depth));
    }
    if (isEnumType(type)) return pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) => isRequiredArgument(field) || chance(0.35));
      const values = fields.map((field) => [field.name, valueFor(field.type, `${field.name} ${words}`, depth + 1)]);
      return Object.fromEntries(values.filter(([, value]) => value !== undefined));
    }
    return scalarFor(type.name, words);
  }

  /** Arguments as {name: {type, value, isVariable}}. */
  function argumentsFor(field) {
    const chosen = field.args.filter((arg) => isRequiredArgument(arg) || /^first$/.test(arg.name) || chance(0.4));
    const words = (arg) => `${arg.name} ${field.name} ${getNamedType(field.type).name}`;
    const values = chosen.map((arg) => [
      arg.name,
      { type: arg.type, value: valueFor(arg.type, words(arg)), isVariable: chance(0.3) },
    ]);
    return Object.fromEntries(values.filter(([, { value }]) => value !== undefined));
  }

  /** Remembers cursors of an answer for `after`. */
  function learn(text) {
    for (const [, cursor] of text.slice(0, 20_000).matchAll(/cursor":"([^"]+)"/gi)) {
      cursors[cursors.length < 50 ? cursors.length : whole(50)] = cursor;
    }
  }

  return { valueFor, argumentsFor, learn };
}
