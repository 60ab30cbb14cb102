/** The download of all that is stored about the user. (Interface 21) */
import { useState } from 'preact/hooks';
import { exportData } from '../../../client/src/account.js';
import { announce } from '../../kit/announce.js';
import { auth } from '../../kit/auth.js';
import { confirmed } from '../../kit/confirmation.js';
import { download } from '../../kit/download.js';
import { problemOf } from '../../kit/graphql.js';
import { shownProblem } from '../../kit/problem.js';

export function ExportData() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const exportAll = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      download('account.json', 'application/json', [await confirmed(() => exportData(auth))]);
      announce('Your data was downloaded.');
    } catch (error) {
      setProblem(shownProblem(problemOf(error)).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-labelledby="your-data">
      <h2 id="your-data">Your data</h2>
      <p>
        All that is stored here about you, such as your sessions and logins, in one JSON file. No password is in it.
      </p>
      <p class="error" role="alert">
        {problem}
      </p>
      <p>
        <button type="button" aria-disabled={isBusy} onClick={() => isBusy || void exportAll()}>
          {isBusy ? 'One moment…' : 'Download my data'}
        </button>
      </p>
    </section>
  );
}
