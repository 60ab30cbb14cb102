/** The second factors of the user. The code of each change is loaded when its button is pressed. (Interface 20) */
import { useState } from 'preact/hooks';
import { announce } from '../announce.js';
import { isByRecoveryCode } from '../auth.js';
import { codesLeftText, FACTOR_COLUMNS, type ListedFactor } from '../factor-table.js';
import { lazy } from '../lazy.js';
import { HAS_PASSKEYS } from '../passkeys.js';
import type { Problem } from '../problem.js';
import { Answered, Empty, ProblemNotice } from '../states.js';
import { actions, Table } from '../table.js';
import { useMe, useOwnFactors } from './own.js';

const AddApp = lazy(async () => (await import('./add-app.js')).AddApp);
const AddPasskey = lazy(async () => (await import('./add-passkey.js')).AddPasskey);
const NewCodes = lazy(async () => (await import('./recovery-codes.js')).NewCodes);
const RemoveFactor = lazy(async () => (await import('./remove-factor.js')).RemoveFactor);

const MOST_PASSKEYS = 10;
/** From so few on it is time for new ones. */
const FEW_CODES = 3;

type Opened = 'app' | 'passkey' | 'codes' | ListedFactor;

export function MyFactors() {
  const answer = useOwnFactors();
  const [opened, setOpened] = useState<Opened>();
  const [problem, setProblem] = useState<Problem>();
  const open = (what: Opened): void => {
    setProblem(undefined);
    setOpened(what);
  };
  // A change whose answer was lost may have been made.
  const close = (): void => {
    setOpened(undefined);
    answer.reload();
  };
  const done = (text: string): void => {
    announce(text);
    answer.reload();
  };
  const added = (text: string): void => {
    isByRecoveryCode.value = false;
    done(text);
  };
  const { data: me } = useMe();
  const { factors = [], recoveryCodesLeft: left = 0 } = answer.data ?? {};
  const hasApp = factors.some(({ kind }) => kind === 'totp');
  const passkeys = factors.filter(({ kind }) => kind === 'passkey').length;
  const button = actions<ListedFactor>((factor) => (
    <button type="button" class="bad-quiet" onClick={() => open(factor)}>
      Remove<bdi class="unseen"> {factor.name}</bdi>
    </button>
  ));

  return (
    <section aria-labelledby="second-factors">
      <div class="bar">
        <h2 id="second-factors" tabIndex={-1}>
          Second factors
        </h2>
        {answer.data !== undefined && (
          <div class="row-actions">
            {!hasApp && (
              <button type="button" onClick={() => open('app')}>
                Add an authenticator app
              </button>
            )}
            {HAS_PASSKEYS && passkeys < MOST_PASSKEYS && (
              <button type="button" onClick={() => open('passkey')}>
                Add a passkey
              </button>
            )}
          </div>
        )}
      </div>
      <Answered answer={answer}>
        {() =>
          factors.length === 0 ? (
            <Empty>You have none. With one, your password alone lets nobody in.</Empty>
          ) : (
            <>
              <div>
                <Table
                  caption="Second factors"
                  columns={[...FACTOR_COLUMNS, button]}
                  rows={factors}
                  keyOf={({ id }) => id}
                />
              </div>
              <div class="bar">
                <p class={left <= FEW_CODES ? 'warn' : undefined}>{codesLeftText(left)}</p>
                <button type="button" onClick={() => open('codes')}>
                  New recovery codes
                </button>
              </div>
            </>
          )
        }
      </Answered>
      <ProblemNotice problem={problem} />
      {opened === 'app' && (
        <AddApp email={me?.email ?? ''} known={factors} onDone={added} onProblem={setProblem} onClose={close} />
      )}
      {opened === 'passkey' && <AddPasskey email={me?.email ?? ''} known={factors} onDone={added} onClose={close} />}
      {opened === 'codes' && <NewCodes email={me?.email ?? ''} onDone={done} onClose={close} />}
      {typeof opened === 'object' && (
        <RemoveFactor factor={opened} isLast={factors.length === 1} onDone={done} onClose={close} />
      )}
    </section>
  );
}
