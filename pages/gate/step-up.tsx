/** The service wants a better or a newer proof than the session has. (Interface 20 and 22) */
import { useEffect } from 'preact/hooks';
import { renew } from '../../client/src/inside.js';
import { auth } from '../kit/auth.js';
import { ConfirmPlace } from '../kit/confirm-place.js';
import { askForProof } from '../kit/confirmation.js';
import { LogOut } from '../kit/log-out.js';
import { useOwnFactors } from '../kit/own/own.js';
import { HAS_ACCOUNT, PRODUCT_NAME } from '../kit/settings.js';
import { Answered } from '../kit/states.js';
import { Card, Destination } from './card.js';
import { NEEDS_FACTOR } from './leaving.js';

/** @param onTry looks again whether the session has the proof */
export function StepUp({ onTry }: { onTry(): void }) {
  const answer = useOwnFactors();
  const { reload } = answer;
  // Proved here, or a factor was added in another tab or on another device.
  useEffect(
    () =>
      auth.on('refreshed', () => {
        reload();
        onTry();
      }),
    [reload, onTry],
  );
  const isStuck = NEEDS_FACTOR && answer.data?.factors.length === 0;
  return (
    <Card heading={isStuck ? 'A second factor is needed' : 'Confirm who you are'}>
      <Destination />
      <Answered answer={answer}>
        {(me) => (isStuck ? <FactorMissing /> : <Proof hasFactor={(me?.factors.length ?? 0) > 0} />)}
      </Answered>
      <LogOut />
      <ConfirmPlace />
    </Card>
  );
}

function Proof({ hasFactor }: { hasFactor: boolean }) {
  const ask = (): void => void askForProof(hasFactor, <Destination />).catch(() => undefined); // cancelled: the button asks again
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(ask, []);
  return (
    <>
      <p>
        It wants a {NEEDS_FACTOR ? '' : 'new '}proof by {hasFactor ? 'your second factor' : 'your password'}.
      </p>
      <button type="button" class="main" onClick={ask}>
        Confirm
      </button>
    </>
  );
}

function FactorMissing() {
  return (
    <>
      <p class="notice warn">
        <strong>It lets nobody in without a second factor, and you have none.</strong>{' '}
        {HAS_ACCOUNT ? (
          <>
            Add one under{' '}
            <a href="/account#factors" target="_blank" rel="noopener">
              Second factors
            </a>
            , in a new tab. This page then goes on by itself.
          </>
        ) : (
          `Ask the operator of ${PRODUCT_NAME} how to add one.`
        )}
      </p>
      <button type="button" class="main" onClick={() => renew(auth)}>
        Try again
      </button>
    </>
  );
}
