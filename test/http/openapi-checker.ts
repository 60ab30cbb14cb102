/** Holds answers against an OpenAPI 3.1 document: status, header fields, media type and body. */
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

// biome-ignore-start lint/suspicious/noExplicitAny: a document is walked by the names of its members
type Node = any;

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Headers of HTTP itself and of browsers' policies, which no API document describes */
const PASSED_OVER = new Set([
  ...['connection', 'keep-alive', 'date', 'content-length', 'content-type', 'transfer-encoding', 'vary'],
  ...['content-security-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy', 'origin-agent-cluster'],
  ...['referrer-policy', 'strict-transport-security', 'x-content-type-options', 'x-dns-prefetch-control'],
  ...['x-download-options', 'x-frame-options', 'x-permitted-cross-domain-policies', 'x-xss-protection'],
]);

const ROOT = 'document';

function resolve(document: Node, node: Node): Node {
  if (node?.$ref === undefined) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((inner: Node, name: string) => inner[name], document);
}

/** The answers of a route, by status, or by the name of each example if the document has several. */
export function described(document: Node, method: string, path: string) {
  const { responses } = document.paths[path][method];
  return Object.entries<Node>(responses).flatMap(([status, answer]) => {
    const [content]: Node[] = Object.values(resolve(document, answer).content ?? {});
    const words = Object.entries<Node>(content?.examples ?? { '': {} });
    return words.map(([word, { value }]) => ({ status: Number(status), word, value: value as unknown }));
  });
}

export function createChecker(document: Node) {
  // Only the schemas are checked; a field without a type is intended.
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: ROOT }, ROOT);

  /** Why the value does not fit the schema at this place, or nothing. */
  const faults = (schema: Node, value: unknown): string[] => {
    const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${ROOT}#/`));
    const isSo = ajv.compile(whole);
    return isSo(value) ? [] : [ajv.errorsText(isSo.errors)];
  };
  /** A field of the header as its schema has it. */
  const valueIn = (schema: Node, text: string): unknown => (schema.type === 'integer' ? Number(text) : text);

  function answersOf(): Array<[name: string, answer: Node]> {
    const shared = Object.entries(document.components.responses);
    const own = Object.entries<Node>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Node>(methods).flatMap(([method, { responses }]) =>
        Object.entries(responses).map(([status, answer]): [string, Node] => [`${method} ${path} ${status}`, answer]),
      ),
    );
    return [...shared, ...own.filter(([, answer]) => answer.$ref === undefined)];
  }

  return {
    /** What the document does not say of an answer, or says otherwise; nothing where it is true. */
    check(method: string, path: string, { status, headers, text }: Answered): string[] {
      const route = document.paths[path]?.[method];
      const name = document.paths[path] === undefined ? 'NotFound' : 'MethodNotAllowed';
      const described = resolve(
        document,
        route === undefined ? document.components.responses[name] : route.responses[status],
      );
      if (described === undefined) return [`there is no status ${status}`];
      const wrong: string[] = [];
      const known = Object.entries<Node>(described.headers);
      for (const [field, { required, schema }] of known) {
        const value = headers[field.toLowerCase()];
        if (value === undefined && required) wrong.push(`${field} is missing`);
        for (const one of [value ?? []].flat()) wrong.push(...faults(schema, valueIn(schema, one)));
      }
      const names = new Set(known.map(([field]) => field.toLowerCase()));
      const untold = Object.keys(headers).filter((field) => !names.has(field) && !PASSED_OVER.has(field));
      wrong.push(...untold.map((field) => `${field} is not described`));
      if (described.content === undefined) return text === '' ? wrong : [...wrong, 'there is a body'];
      const type = String(headers['content-type']).split(';')[0] ?? '';
      const content = described.content[type];
      if (content === undefined) return [...wrong, `there is no ${type}`];
      return [...wrong, ...faults(content.schema, type.endsWith('json') ? JSON.parse(text) : text)];
    },

    wrongExamples(): string[] {
      const ofSchemas = Object.entries<Node>(document.components.schemas).flatMap(([name, schema]) =>
        (schema.examples ?? []).flatMap((value: unknown) => faults(schema, value).map((fault) => `${name}: ${fault}`)),
      );
      const ofAnswers = answersOf().flatMap(([name, { headers, content = {} }]) => {
        const fields = Object.entries<Node>(headers).flatMap(([field, { schema, example }]) =>
          faults(schema, example).map((fault) => `${name}, ${field}: ${fault}`),
        );
        const bodies = Object.values<Node>(content).flatMap(({ schema, example, examples }) => {
          const values = examples === undefined ? [example] : Object.values<Node>(examples).map(({ value }) => value);
          return values.flatMap((value) => faults(schema, value).map((fault) => `${name}: ${fault}`));
        });
        return [...fields, ...bodies];
      });
      return [...ofSchemas, ...ofAnswers];
    },
  };
}
// biome-ignore-end lint/suspicious/noExplicitAny: as above
