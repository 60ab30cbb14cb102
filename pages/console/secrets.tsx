/** What keys and webhooks share: a secret that is shown once, and for how long the one before stays valid. */
import type { ComponentChildren } from 'preact';
import { RadioButtons } from '../kit/choice.js';
import { Copyable } from '../kit/copy.js';
import { Time } from '../kit/time.js';

export const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;

interface OverlapProps {
  /** What happens to the current secret, such as `stays valid` */
  verb: string;
  /** What ends at once if there is no overlap */
  atOnce: string;
  /** Seconds */
  chosen: number;
  onChoose(seconds: number): void;
}

/** The field `overlapSeconds` */
export function OverlapChoice({ verb, atOnce, chosen, onChoose }: OverlapProps) {
  return (
    <RadioButtons
      legend="The current secret"
      name="overlapSeconds"
      chosen={String(chosen)}
      onChoose={(value) => onChoose(Number(value))}
      options={[
        { value: String(DAY_SECONDS), label: `${verb} for 24 hours` },
        { value: String(HOUR_SECONDS), label: `${verb} for 1 hour` },
        { value: '0', label: 'ends at once', hint: atOnce },
      ]}
    />
  );
}

interface SecretProps {
  label: string;
  secret: string;
  /** What to do with it */
  children?: ComponentChildren;
}

export function SecretOnce({ label, secret, children }: SecretProps) {
  return (
    <>
      <p>Store it now: it is not shown again.</p>
      <Copyable label={label} text={secret} />
      {children}
    </>
  );
}

/** After a rotation, when the secret of before ends. */
export function PreviousSecret({ verb, endsAt }: { verb: string; endsAt: string | null }) {
  if (endsAt === null) return <p>Every earlier secret has ended.</p>;
  return (
    <p>
      The previous secret {verb} until <Time at={endsAt} />.
    </p>
  );
}
