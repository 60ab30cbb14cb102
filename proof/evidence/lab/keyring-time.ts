/** Time as a keyring knows it: moved on by moving the `nbf` of its keys back. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { until } from '../../../test/support/until.js';
import type { Instance } from './gateways.js';

/** For the keys of the file, `seconds` pass. */
export function letPass(keyringFile: string, seconds: number): void {
  const { keys } = JSON.parse(readFileSync(keyringFile, 'utf8')) as { keys: Array<{ nbf?: number }> };
  const moved = keys.map((key) => (key.nbf === undefined ? key : { ...key, nbf: key.nbf - seconds }));
  const written = `${keyringFile}.moved`;
  writeFileSync(written, JSON.stringify({ keys: moved }), { mode: 0o600 });
  renameSync(written, keyringFile);
}

/** Changes the file, and waits until every instance has read it; `meanwhile` is done again and again. */
export async function untilRead(
  instances: readonly Instance[],
  change: () => unknown,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const readings = ({ logFile }: Instance): number =>
    readFileSync(logFile, 'utf8').split('"msg":"keyring read again"').length;
  const before = new Map(instances.map((instance) => [instance, readings(instance)]));
  await change();
  await until('every instance has read the keyring again', async () => {
    await meanwhile();
    return instances.every((instance) => readings(instance) > (before.get(instance) ?? 0));
  });
}
