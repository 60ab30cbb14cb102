/** The tables of a run, in Markdown, as the documents quote them. */
import { CORES } from './cores.js';
import type { Judged, Line } from './summary.js';

type Cell = string | number | undefined;

export function row(...cells: Cell[]): string {
  return `| ${cells.map((text) => text ?? '').join(' | ')} |`;
}

/** A figure in so many digits; empty if there is none */
export function shown(figure: number | undefined, digits = 3): string {
  if (figure === undefined || !Number.isFinite(figure)) return '';
  return Number(figure.toPrecision(digits)).toLocaleString('en', { maximumFractionDigits: 3 });
}

/** What was measured of each work */
export function linesTable(lines: readonly Line[]): string {
  const [ofGateway, ofOthers] = CORES === undefined ? ['', ''] : [`, ${CORES.gateway}`, `, ${CORES.others}`];
  const costs = [`gateway µs${ofGateway}`, `PostgreSQL µs${ofOthers}`];
  return [
    row('work', 'connections', 'a second', 'median ms', 'p99 ms', ...costs, 'slices', 'spread'),
    row('---', ...Array.from({ length: 8 }, () => '--:')),
    ...lines.map(({ what, connections, rate, medianMs, p99Ms, serverUs, postgresUs, slices, spread, isNoisy }) => {
      const figures = [shown(rate, 4), shown(medianMs), shown(p99Ms), shown(serverUs), shown(postgresUs)];
      const share = `${shown(spread * 100, 2)} %`;
      return row(what, connections, ...figures, slices, isNoisy ? `${share}, noisy` : share);
    }),
  ].join('\n');
}

/** What is compared, and the goals */
export function judgedTable(judged: readonly Judged[]): string {
  return [
    row('compared', 'connections', 'median', 'quartiles', 'of', 'goal', 'holds?'),
    row('---', '--:', '--:', '--:', '--:', '--:', '---'),
    ...judged.map(({ what, connections, value, low, high, count, goal, verdict }) => {
      const quartiles = low === undefined ? '' : `${shown(low)} to ${shown(high)}`;
      return row(what, connections, shown(value), quartiles, count, goal, verdict);
    }),
  ].join('\n');
}
