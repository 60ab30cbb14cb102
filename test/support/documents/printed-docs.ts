/** Blocks of the documents that are printed from the code, between `<!-- printed: NAME -->` and `<!-- /printed -->`. */
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { commandTable } from '../../../src/cli/cli.js';
import { variables } from '../../../src/config/config.js';
import { DATABASE_PARAMETERS } from '../../../src/config/database-url.js';
import { PASSWORD_FAULT_REASONS } from '../../../src/credentials/passwords/password-rules.js';
import { ERROR_REASONS } from '../../../src/domain/error-reasons.js';
import { benchmarkGoals, benchmarkWorks } from './benchmark-tables.js';
import { accountFunctions, clientFunctions, clientOptions, questionOptions } from './client-tables.js';
import { graphqlCodes, graphqlCosts, graphqlLimits } from './graphql-tables.js';
import { INTERFACE_TABLES } from './interface-tables.js';
import { mailOutcomes, mailPlaceholders, retryDelays } from './mail-tables.js';
import { alerts, findings, metrics, ocsf } from './operation-tables.js';
import { protocolFaults, protocolInvariants, protocolRuns } from './protocol-tables.js';
import { publishedLine, publishedRun } from './published-run.js';
import { picture, rooms } from './rooms.js';
import {
  scaleCluster,
  scaleCosts,
  scaleNeeds,
  scalePromotions,
  scaleReading,
  scaleRows,
  scaleSimulation,
} from './scale-tables.js';
import { sectionMap } from './section-map.js';
import { table } from './table.js';
import { verifyLibraries } from './verify-libraries.js';

const COMMANDS = await commandTable();

function passwordRules(): string {
  return table(
    ['`reason`', 'means'],
    PASSWORD_FAULT_REASONS.map((reason) => [`\`${reason}\``, ERROR_REASONS[reason].means]),
  );
}

function commands(): string {
  return COMMANDS.map(({ name, summary }) => `- \`${name}\`: ${summary}`).join('\n');
}

/** The rows that the page has, with its own last column: the meaning. */
function variableRows(page: string): string {
  const rows = Array.from(page.matchAll(/^\| `(\w+)` \|.*\| (.*) \|$/gm), ([, name = '', meaning = '']) => {
    const variable = variables().find((each) => each.name === name);
    if (variable === undefined) throw new Error(`there is no variable ${name}`);
    return [`\`${name}\``, defaultOf(variable.fallback), variable.check ?? '', meaning];
  });
  return table(['variable', 'default', 'values', 'meaning'], rows);
}

function databaseParameters(): string {
  const rows = Object.entries(DATABASE_PARAMETERS);
  const ofKind = (kind: string, write: (name: string, values?: string[], why?: string) => string): string =>
    rows
      .filter(([, row]) => row.kind === kind)
      .map(([name, { values, why }]) => write(`\`${name}\``, values, why))
      .join('');
  const withValues = (name: string, values?: string[]): string =>
    values === undefined ? name : `${name} (${values.map((value) => `\`${value}\``).join(', ')})`;
  const line = (name: string, values?: string[], why?: string): string => `\n  - ${withValues(name, values)}: ${why}`;
  return [
    `- Done: ${ofKind('done', (name, values) => `${withValues(name, values)}, `).slice(0, -2)}`,
    `- Ignored, with a line in the log of the start, because they change nothing; other values are refused:${ofKind('ignored', line)}`,
    `- Refused, because without them the connection would be another, or less safe. Instead:${ofKind('refused', line)}`,
    '- Any other is refused as unknown.',
  ].join('\n');
}

function defaultOf(fallback: unknown): string {
  const isUnset = fallback === undefined || (Array.isArray(fallback) && fallback.length === 0);
  const text = fallback instanceof URL ? fallback.origin : String(fallback);
  return isUnset ? 'unset' : `\`${text.replace(`${process.cwd()}/`, './')}\``;
}

/** The file as a block of code. */
function fileBlock(path: string): string {
  return `\`\`\`${extname(path).slice(1)}\n${readFileSync(path, 'utf8')}\`\`\``;
}

/** By name; each is given what the page has between the marks. */
const BLOCKS: Record<string, (page: string) => string> = {
  commands,
  findings,
  metrics,
  alerts,
  ocsf,
  variables: variableRows,
  'database parameters': databaseParameters,
  picture,
  rooms,
  'map of the specification': () => sectionMap('Spec'),
  'map of the interface': () => sectionMap('Interface'),
  'graphql limits': graphqlLimits,
  'graphql costs': graphqlCosts,
  'graphql codes': graphqlCodes,
  'verify libraries': verifyLibraries,
  'password rules': passwordRules,
  'client options': clientOptions,
  'client functions': clientFunctions,
  'account functions': accountFunctions,
  'question options': questionOptions,
  'mail outcomes': mailOutcomes,
  'mail placeholders': mailPlaceholders,
  'retry delays': retryDelays,
  ...INTERFACE_TABLES,
  'protocol invariants': protocolInvariants,
  'protocol runs': protocolRuns,
  'protocol faults': protocolFaults,
  'benchmark works': benchmarkWorks,
  'benchmark goals': benchmarkGoals,
  'published run': publishedRun,
  'published line': publishedLine,
  'scale needs': scaleNeeds,
  'scale costs': scaleCosts,
  'scale simulation': scaleSimulation,
  'scale cluster': scaleCluster,
  'scale promotions': scalePromotions,
  'scale reading': scaleReading,
  'scale rows': scaleRows,
};

/** The page with each block as the code has it. @throws if it names a block that does not exist */
export function withPrintedBlocks(page: string): string {
  return page.replace(/^(<!-- printed: (.+?) -->\n)(.*?)(<!-- \/printed -->)/gms, (_, begin, name, body, end) => {
    const print = name.startsWith('file ') ? () => fileBlock(name.slice(5)) : BLOCKS[name];
    if (print === undefined) throw new Error(`test/support/documents/printed-docs.ts has no block "${name}"`);
    return `${begin}\n${print(body)}\n\n${end}`;
  });
}
