/** Reads the Prometheus text format 0.0.4 strictly: what it lets through, a scraper takes. */

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Family {
  type: string;
  help: string;
  samples: Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
/** Prometheus reads numbers in either case, and our library writes `Nan`. */
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (-?[0-9.e+-]+|\\+Inf|-Inf|Na[nN])$`);

/** @throws {Error} for a line, an order or a value that the format does not have */
export function readMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Family>();
  const series = new Set<string>();
  let current: Family | undefined;
  let currentName = '';
  for (const line of text.split('\n').filter((part) => part !== '')) {
    const [, keyword, name = '', rest = ''] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`).exec(line) ?? [];
    if (keyword === 'HELP') {
      if (families.has(name)) throw new Error(`a second ${name}`);
      currentName = name;
      current = { type: '', help: rest, samples: [] };
      families.set(name, current);
      continue;
    }
    if (current === undefined) throw new Error(`nothing was announced before: ${line}`);
    if (keyword === 'TYPE') {
      if (name !== currentName || current.type !== '') throw new Error(`misplaced: ${line}`);
      if (!['counter', 'gauge', 'histogram', 'summary'].includes(rest)) throw new Error(`no type: ${line}`);
      current.type = rest;
      continue;
    }
    const [, of = '', labelText = '', number = ''] = SAMPLE.exec(line) ?? [];
    const suffixes = current.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    if (!suffixes.some((suffix) => of === currentName + suffix))
      throw new Error(`not a sample of ${currentName}: ${line}`);
    const key = line.slice(0, line.lastIndexOf(' '));
    if (series.has(key)) throw new Error(`twice: ${key}`);
    series.add(key);
    const labels = Object.fromEntries(
      Array.from(labelText.matchAll(new RegExp(LABEL, 'g')), ([pair]) => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at), JSON.parse(pair.slice(at + 1)) as string];
      }),
    );
    current.samples.push({ name: of, labels, value: Number(number.replace('Inf', 'Infinity')) });
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

function checkFamily(name: string, { type, samples }: Family): void {
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) throw new Error(`a count below 0: ${name}`);
  if (type !== 'histogram') return;
  for (const { labels, value: count } of samples.filter((sample) => sample.name === `${name}_count`)) {
    const isSame = (sample: Sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
    const size = Object.keys(labels).length;
    const buckets = samples.filter(
      (sample) => sample.name === `${name}_bucket` && isSame(sample) && Object.keys(sample.labels).length === size + 1,
    );
    const bounds = buckets.map((bucket) => Number(bucket.labels['le']?.replace('Inf', 'Infinity')));
    const counts = buckets.map(({ value }) => value);
    const rise = (numbers: number[]) => numbers.every((number, i) => i === 0 || number >= (numbers[i - 1] ?? 0));
    if (!rise(bounds) || !rise(counts) || bounds.at(-1) !== Infinity || counts.at(-1) !== count) {
      throw new Error(`buckets that do not add up: ${name} ${JSON.stringify(labels)}`);
    }
  }
}

/** The sum of the samples of that name which have these labels; undefined if there are none. */
export function figureOf(
  families: Map<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const samples = [...families.values()]
    .flatMap((family) => family.samples)
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value));
  return samples.length === 0 ? undefined : samples.reduce((sum, { value }) => sum + value, 0);
}
