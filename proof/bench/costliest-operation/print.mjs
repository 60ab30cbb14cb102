/** Operations as text, and its size. */
import { getNullableType, isEnumType, isInputObjectType, isListType, Lexer, Source } from 'graphql';

/** Bytes of a body that padding may fill */
export const ENDLESS = 60_000;

export function literal(value, type) {
  const inner = getNullableType(type);
  if (isListType(inner)) return `[${value.map((item) => literal(item, inner.ofType)).join(' ')}]`;
  if (isInputObjectType(inner)) {
    const fields = inner.getFields();
    return `{${Object.entries(value)
      .map(([name, item]) => `${name}:${literal(item, fields[name].type)}`)
      .join(' ')}}`;
  }
  return isEnumType(inner) ? value : JSON.stringify(value);
}

/** The request body: {query, variables, operationName}. */
export function print(operation) {
  const declared = new Map();
  const variables = {};
  let number = 0;
  const next = () => {
    number += 1;
    return String(number);
  };
  const declare = (type, value) => {
    const key = `${type} ${JSON.stringify(value)}`;
    if (!declared.has(key)) {
      const name = `v${declared.size}`;
      declared.set(key, `$${name}:${type}`);
      variables[name] = value;
      declared.set(key, { name, text: `$${name}:${type}` });
    }
    return `$${declared.get(key).name}`;
  };
  const conditions = (text) =>
    text.replace(/\$(yes|no|#)/g, (_all, name) => {
      if (name !== '#') return declare('Boolean!', name === 'yes');
      const own = `w${next()}`;
      declared.set(own, { name: own, text: `$${own}:Boolean!` });
      variables[own] = true;
      return `$${own}`;
    });
  let budget = 6_000; // nodes; beyond it the caps refuse anyhow
  const one = (node, index) => {
    budget -= 1;
    if (node.kind === 'raw') return node.text.replace(/#/g, next);
    const inner = () => {
      const text = node.selections.map(printed).join(' ');
      return `{${text === '' ? '__typename' : text}}`;
    };
    if (node.kind === 'spread') return `...${node.name}${conditions(node.directives)}`;
    if (node.kind === 'inline')
      return `...${node.named ? `on ${node.type.name}` : ''}${conditions(node.directives)}${inner()}`;
    const args = Object.entries(node.args).map(([name, { type, value, isVariable }]) => {
      const isOther = node.argsDiffer && typeof value === 'number';
      const own = isOther ? value + index : value;
      return `${name}:${isVariable && !isOther ? declare(type, own) : literal(own, type)}`;
    });
    const alias = node.alias ? `a${next()}:` : '';
    const list = args.length === 0 ? '' : `(${args.join(' ')})`;
    return `${alias}${node.field.name}${list}${conditions(node.directives)}${node.selections.length > 0 ? inner() : ''}`;
  };
  const printed = (node) => Array.from({ length: node.times }, (_, i) => (budget > 0 ? one(node, i) : '')).join(' ');

  let body = operation.selections.map(printed).join(' ');
  const fragments = operation.fragments.map(({ name, type, selections }) => ({
    name,
    text: `fragment ${name} on ${type.name}{${selections.map(printed).join(' ') || '__typename'}}`,
  }));
  let text = fragments.map((fragment) => fragment.text).join(' ');
  let operationName = operation.others > 0 ? 'Q' : undefined;
  const texts = [...declared.values()].map((variable) => variable.text);
  for (const spoilt of operation.spoils) {
    const names = (prefix, count) => Array.from({ length: count ?? 0 }, (_, i) => `${prefix}${spoilt.isSame ? '' : i}`);
    for (const name of names('u', spoilt.variables)) {
      texts.push(`$${name}:Boolean!`);
      variables[name] = spoilt.isBad ? 'x' : true;
      if (spoilt.isBad) body += ` __typename@include(if:$${name})`;
    }
    if (spoilt.use) {
      texts.push(spoilt.text);
      Object.assign(variables, spoilt.value);
      body += ` ${spoilt.use}`;
    }
    for (const name of names('N', spoilt.fragments)) {
      const next = `N${(Number(name.slice(1) || 0) + 1) % spoilt.fragments}`;
      text += ` fragment ${name} on ${operation.root.name}{${spoilt.isCyclic ? `...${next}...${name}` : '__typename'}}`;
    }
    if (spoilt.definitions) text += ' type T{a:Int}'.repeat(spoilt.definitions);
    if (spoilt.operationName) operationName = spoilt.operationName;
  }
  for (let i = 0; i < (operation.others ?? 0); i += 1) text += ` query O${i}{__typename}`;
  const type = operation.isMutation ? 'mutation' : 'query';
  const head = `${type} Q${texts.length > 0 ? `(${texts.join(' ')})` : ''}`;
  return pad({ query: `${head}{${body}}${text}`, variables, operationName }, operation.padding);
}

/** Fills what is left of the body with text that is no token; between the tokens, or before them. */
function pad(body, { text, bytes, isBetween }) {
  if (!bytes) return body;
  const room = Math.min(bytes, ENDLESS - JSON.stringify(body).length);
  const unit = JSON.stringify(text).length - 2;
  if (room < unit) return body;
  const fill = text.repeat(Math.floor(room / unit));
  if (!isBetween) return { ...body, query: fill + body.query };
  const pieces = body.query.split(' ');
  const each = Math.floor(fill.length / pieces.length / text.length) * text.length;
  return { ...body, query: pieces.join(` ${fill.slice(0, each)}`) };
}

/** Lexical tokens, as the parser counts them. */
export function tokensOf(query) {
  const lexer = new Lexer(new Source(query));
  try {
    for (let count = 0; ; count += 1) if (lexer.advance().kind === '<EOF>') return count;
  } catch {
    return 0;
  }
}
