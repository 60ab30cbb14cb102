/** The command `doctor`. It works even if nothing else does, so it opens everything that it checks itself. (Interface 9) */
import type { Config } from '../config/config.js';
import { openDataDir } from '../db/open/data-dir.js';
import { type Finding, type PrintedFinding, printable } from '../doctor/finding.js';
import { SILENT } from '../platform/logger.js';
import { numberOf } from '../platform/number-of.js';
import { COMMON, type Command } from './command.js';
import { type Call, describeDatabase } from './context.js';
import { readValues } from './parameters.js';
import { CliRefusal } from './refusal.js';
import { printJson, printLines, printMessage } from './terminal.js';

export const doctorCommands: Record<string, Command> = {
  doctor: {
    summary: 'check all that the gateway needs, and report what is wrong and how to fix it; changes nothing',
    prints: '`{severity, check, seen, remedy}` of each finding; exit code 1 if a `severity` is `fault`',
    takes: COMMON,
    run: async (args, call) => {
      const { json } = readValues(args, COMMON);
      const { terminal } = call;
      const found = (await findingsOf(call)).map((finding) => printable(finding, terminal.command));
      if (json) printJson(terminal, found);
      else
        printLines(
          terminal,
          BY_SEVERITY.flatMap((severity) => linesOf(found, severity)),
        );
      const [faults, warnings] = [countOf(found, 'fault'), countOf(found, 'warning')];
      const counts = `${numberOf(faults, 'fault')}, ${numberOf(warnings, 'warning')}, ${countOf(found, 'ok')} ok`;
      if (faults > 0) throw new CliRefusal(counts);
      printMessage(terminal, counts);
    },
  },
};

async function findingsOf({ readConfig, terminal }: Call): Promise<Finding[]> {
  const { examine, refusedConfiguration } = await import('../doctor/examine.js');
  let config: Config;
  try {
    config = await readConfig();
  } catch (error) {
    return refusedConfiguration(error);
  }
  await using cleanUp = new AsyncDisposableStack();
  const opened = openDataDir(config, 'cli', SILENT);
  const located = opened.then((server) => {
    cleanUp.defer(server.close);
    printMessage(terminal, `database: ${describeDatabase(server, config)}`);
    return server.databaseUrl;
  });
  await located.catch(() => undefined); // an embedded server may take a while to start; a check reports why it does not
  printMessage(terminal, "variables: this shell's; a running gateway may have others");
  const signal = new AbortController().signal;
  return await examine({ config, isGateway: false, signal, locate: () => located });
}

const BY_SEVERITY = ['fault', 'warning', 'ok'] as const;
const WORDS = { fault: 'FAULT', warning: 'WARNING', ok: 'ok' };

function linesOf(found: PrintedFinding[], wanted: Finding['severity']): string[] {
  return found
    .filter(({ severity }) => severity === wanted)
    .flatMap(({ severity, check, seen, remedy }) => [
      `${WORDS[severity].padEnd(8)}${check}: ${seen}`,
      ...(remedy === null ? [] : [`        remedy: ${remedy}`]),
    ]);
}

function countOf(found: PrintedFinding[], wanted: Finding['severity']): number {
  return found.filter(({ severity }) => severity === wanted).length;
}
