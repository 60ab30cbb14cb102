/** Reading again what a change may have changed. */
import { useEffect, useRef } from 'preact/hooks';

/** Calls `reload` whenever the turn is another one. */
export function useAgain(turn: number, reload: () => void): void {
  const last = useRef(turn);
  useEffect(() => {
    if (last.current === turn) return;
    last.current = turn;
    reload();
  });
}
