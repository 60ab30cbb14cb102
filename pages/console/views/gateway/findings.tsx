/** What `doctor` finds in the running gateway: faults first, and what is well in a list to open. */

import { useAnswer } from '../../../kit/answer.js';
import { Answered, Empty } from '../../../kit/states.js';
import { type Column, Table } from '../../../kit/table.js';
import { Time } from '../../../kit/time.js';
import { type FindingSeverity, GatewayChecks, type GatewayChecksQuery } from '../../operations.js';

type Checks = NonNullable<NonNullable<GatewayChecksQuery['gateway']>['checks']>;
type Finding = Checks['findings'][number];

/** How often is asked for the result of an examination, which takes some seconds: milliseconds */
const POLL_MS = 3_000;

const WORDS: Record<FindingSeverity, [word: string, tone: string]> = {
  fault: ['Fault', 'bad'],
  warning: ['Warning', 'warn'],
  ok: ['Fine', 'good'],
};

const NAME: Column<Finding> = { name: 'Check', width: 'time', cell: ({ check }) => check.replaceAll('_', ' ') };
const SEEN: Column<Finding> = { name: 'What was found', cell: ({ seen }) => seen };

const COLUMNS: Array<Column<Finding>> = [
  {
    name: 'Result',
    width: 'narrow',
    cell: ({ severity }) => <span class={`badge ${WORDS[severity][1]}`}>{WORDS[severity][0]}</span>,
  },
  NAME,
  SEEN,
  { name: 'What to do', cell: ({ remedy }) => remedy },
];

export function Findings() {
  const answer = useAnswer(GatewayChecks, {}, { pollMs: POLL_MS, isOver: ({ gateway }) => gateway?.checks != null });
  return (
    <section aria-labelledby="findings">
      <div class="bar">
        <h2 id="findings">Findings</h2>
        <button type="button" onClick={answer.reload} disabled={answer.isLoading}>
          Check again
        </button>
      </div>
      <Answered answer={answer}>
        {({ gateway }) =>
          gateway?.checks == null ? (
            <p class="quiet" role="status">
              The gateway is examining itself. This takes some seconds.
            </p>
          ) : (
            <Result checks={gateway.checks} />
          )
        }
      </Answered>
    </section>
  );
}

function Result({ checks: { checkedAt, findings } }: { checks: Checks }) {
  const of = (severity: FindingSeverity) => findings.filter((finding) => finding.severity === severity);
  const bad = [...of('fault'), ...of('warning')];
  const fine = of('ok');
  return (
    <>
      {bad.length === 0 ? (
        <Empty>Nothing is wrong.</Empty>
      ) : (
        <Table caption="Faults and warnings" columns={COLUMNS} rows={bad} keyOf={keyOf} />
      )}
      <details>
        <summary>{fine.length === 1 ? '1 check is fine' : `${fine.length} checks are fine`}</summary>
        <Table caption="Checks that are fine" columns={[NAME, SEEN]} rows={fine} keyOf={keyOf} />
      </details>
      <p class="quiet">
        Checked <Time at={checkedAt} />. The same findings are shown for a minute, to everybody.
      </p>
    </>
  );
}

function keyOf({ check, seen }: Finding): string {
  return `${check} ${seen}`;
}
