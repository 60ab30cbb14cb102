/** The second factors of a user, whose login asks for one of them. (Interface 20) */

import { codesLeftText, FACTOR_COLUMNS, type ListedFactor } from '../../../kit/factor-table.js';
import { Table } from '../../../kit/table.js';

interface Props {
  factors: readonly ListedFactor[];
  codesLeft: number;
}

export function FactorsSection({ factors, codesLeft }: Props) {
  return (
    <section>
      <h2>Second factors</h2>
      {factors.length === 0 ? (
        <p class="quiet">No second factor.</p>
      ) : (
        <>
          <div>
            <Table caption="Second factors" columns={FACTOR_COLUMNS} rows={factors} keyOf={({ id }) => id} />
          </div>
          <p class="quiet">{codesLeftText(codesLeft)}</p>
        </>
      )}
    </section>
  );
}
