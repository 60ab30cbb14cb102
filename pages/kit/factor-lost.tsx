/** What is said after a login with a recovery code: only now the lost factor can be removed without it. (Interface 20) */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { isByRecoveryCode } from './auth.js';

/** Factors are changed after a proof that is no older: milliseconds */
const FRESH_MS = 300_000;

/** @param where the link to the second factors */
export function FactorLost({ where }: { where: ComponentChildren }) {
  const isByCode = isByRecoveryCode.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the linter takes it for a signal
  useEffect(() => {
    if (!isByCode) return undefined;
    const timer = setTimeout(() => {
      isByRecoveryCode.value = false;
    }, FRESH_MS);
    return () => clearTimeout(timer);
  }, [isByCode]);
  return (
    isByCode && (
      <p class="notice warn" role="status">
        You logged in with a recovery code. If you have lost the app or the passkey, remove it under {where} and add a
        new one now.
      </p>
    )
  );
}
