/** The columns of a table of second factors. (Interface 20) */
import { Cut } from './foreign.js';
import type { Column } from './table.js';
import { MaybeTime, Time } from './time.js';

type FactorKind = 'totp' | 'passkey';

export interface ListedFactor {
  id: string;
  kind: FactorKind;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

const KINDS: Record<FactorKind, string> = { totp: 'Authenticator app', passkey: 'Passkey' };

export const FACTOR_COLUMNS: Array<Column<ListedFactor>> = [
  { name: 'Name', cell: ({ name }) => <Cut text={name} characters={40} /> },
  { name: 'Kind', cell: ({ kind }) => KINDS[kind] ?? kind },
  { name: 'Added', width: 'time', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Last used', width: 'time', cell: ({ lastUsedAt }) => <MaybeTime at={lastUsedAt} none="Never" /> },
];

/** `8 recovery codes are left.` */
export function codesLeftText(count: number): string {
  if (count === 0) return 'No recovery code is left.';
  return count === 1 ? '1 recovery code is left.' : `${count} recovery codes are left.`;
}
