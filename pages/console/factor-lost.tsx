/** What is said after a login with a recovery code: only now the lost factor can be removed without it. (Interface 20) */
import { useEffect } from 'preact/hooks';
import { Link, place } from '../kit/location.js';
import { isByRecoveryCode } from './auth.js';
import { MY_SESSIONS } from './paths.js';

/** Factors are changed after a proof that is no older: milliseconds */
const FRESH_MS = 300_000;

export function FactorLost() {
  useEffect(() => {
    const timer = setTimeout(() => {
      isByRecoveryCode.value = false;
    }, FRESH_MS);
    return () => clearTimeout(timer);
  }, []);
  const where =
    place.value.path === MY_SESSIONS ? (
      <a href="#second-factors">Second factors</a>
    ) : (
      <Link to={MY_SESSIONS}>My sessions</Link>
    );
  return (
    <p class="notice warn" role="status">
      You logged in with a recovery code. If you have lost the app or the passkey, remove it under {where} and add a new
      one now.
    </p>
  );
}
