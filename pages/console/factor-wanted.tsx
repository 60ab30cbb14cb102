/** What is said to users whose role can do nothing without a second factor (SECOND_FACTOR_ROLES). (Interface 20) */
import type { ComponentChildren } from 'preact';
import { useAnswer } from '../kit/answer.js';
import { currentUser } from '../kit/auth.js';
import { askForProof } from '../kit/confirmation.js';
import { OwnFactorKinds, OwnName } from './operations.js';

interface Props {
  /** Where to find what is missing */
  children: ComponentChildren;
  /** What is said to everybody else */
  otherwise?: ComponentChildren;
}

export function FactorWanted({ children, otherwise }: Props) {
  const { data } = useAnswer(OwnName, {});
  // The token has its scopes as soon as there is a factor.
  const isWanted = data?.me?.secondFactorRequired === true && currentUser.value?.scopes.length === 0;
  return isWanted ? <Wanted>{children}</Wanted> : <>{otherwise}</>;
}

function Wanted({ children }: { children: ComponentChildren }) {
  const { data } = useAnswer(OwnFactorKinds, {});
  const hasFactor = (data?.me?.factors.length ?? 0) > 0; // added since this login
  return (
    <div class="notice warn">
      <p>
        <strong>Your role needs a second factor before it can do anything here.</strong> {!hasFactor && children}
      </p>
      {hasFactor && (
        <button type="button" onClick={() => void askForProof(true).catch(() => undefined)}>
          Use my second factor
        </button>
      )}
    </div>
  );
}
