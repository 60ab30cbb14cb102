/** Somebody is logged in, so the browser returns to the service. (Interface 22) */
import { useEffect, useState } from 'preact/hooks';
import { useAsked } from '../kit/answer.js';
import { lazy } from '../kit/lazy.js';
import { Loading, ProblemNotice } from '../kit/states.js';
import { Card, Service, Waiting } from './card.js';
import { leaveTo, ORIGIN, TARGET } from './leaving.js';
import { countReturn, forgetReturns } from './returns.js';
import { findWayBack } from './way-back.js';

const StepUp = lazy(async () => (await import('./step-up.js')).StepUp);

export function Returning() {
  const { data, problem, reload } = useAsked('way back', findWayBack);
  const address = data?.kind === 'address' ? data.address : undefined;
  useEffect(() => {
    if (address === undefined) return;
    countReturn();
    leaveTo(address);
  }, [address]);

  if (address !== undefined) return <Leaving />;
  if (data?.kind === 'proof') return <StepUp onTry={reload} />;
  if (data?.kind === 'loop') {
    const goOn = (): void => {
      forgetReturns();
      reload();
    };
    return <Loop onTry={goOn} />;
  }
  return (
    <Waiting>
      <ProblemNotice problem={problem} />
      {problem === undefined ? (
        <Loading />
      ) : (
        <button type="button" class="main" onClick={reload}>
          Try again
        </button>
      )}
    </Waiting>
  );
}

/** A download, or no answer, leaves this page as it is: milliseconds */
const PATIENCE_MS = 5_000;

function Leaving() {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Waiting>
      {isLong ? (
        <button type="button" class="main" onClick={() => leaveTo(ORIGIN + TARGET)}>
          Go on
        </button>
      ) : (
        <Loading />
      )}
    </Waiting>
  );
}

function Loop({ onTry }: { onTry(): void }) {
  return (
    <Card heading="This goes round in circles">
      <p role="alert">
        <Service /> keeps sending you back here. It may be that this browser stores no cookies for it, or that it is not
        set up correctly.
      </p>
      <button type="button" class="main" onClick={onTry}>
        Try again
      </button>
    </Card>
  );
}
