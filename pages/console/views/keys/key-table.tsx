/** The columns of both tables of keys. */

import { can } from '../../../kit/auth.js';
import { Foreign } from '../../../kit/foreign.js';
import { Link, pathTo, place } from '../../../kit/location.js';
import { Several } from '../../../kit/several.js';
import type { Column } from '../../../kit/table.js';
import { MaybeTime, Time } from '../../../kit/time.js';
import { AUDIT_LOG, KEYS } from '../../paths.js';
import { isApiKey, type Key } from './key.js';

export interface KeyActions {
  onRotate(key: Key): void;
  onRevoke(key: Key): void;
}

export function keyColumns({ onRotate, onRevoke }: KeyActions): ReadonlyArray<Column<Key> | false> {
  return [
    { name: 'Service', cell: (key) => <Service of={key} /> },
    { name: 'Scopes', cell: ({ scopes }) => <Scopes of={scopes} /> },
    { name: 'State', cell: (key) => <State of={key} /> },
    { name: 'Last used', width: 'narrow', cell: ({ lastUsedAt }) => <MaybeTime at={lastUsedAt} none="never" /> },
    { name: 'Created', width: 'narrow', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Audit log', width: 'narrow', cell: ({ id }) => <History of={id} /> },
    can('keys:write') && {
      name: 'Actions',
      width: 'time',
      isNameHidden: true,
      align: 'end',
      cell: (key) =>
        key.liveSecretCount > 0 && (
          <div class="row-actions">
            <button type="button" class="small" aria-label={`Rotate ${key.id}`} onClick={() => onRotate(key)}>
              Rotate
            </button>
            <button type="button" class="small bad-quiet" aria-label={`Revoke ${key.id}`} onClick={() => onRevoke(key)}>
              Revoke
            </button>
          </div>
        ),
    },
  ];
}

/** Its name leads to all keys of the service. */
function Service({ of: key }: { of: Key }) {
  const state = place.value.query.get('state') ?? undefined;
  return (
    <>
      <Link to={pathTo(KEYS, { state, service: key.serviceName })}>
        <Foreign text={key.serviceName} />
      </Link>
      <div>
        <code>{key.id}</code>
      </div>
      {isApiKey(key) && <div class="quiet">{key.rateLimit.toLocaleString('en-GB')} requests/min</div>}
    </>
  );
}

function Scopes({ of: scopes }: { of: readonly string[] }) {
  if (scopes.length === 0) return <span class="quiet">none</span>;
  return <Several items={scopes.map((scope) => <code key={scope}>{scope}</code>)} />;
}

function State({ of: key }: { of: Key }) {
  if (key.revokedAt !== null) {
    return (
      <span class="quiet">
        Revoked <Time at={key.revokedAt} />
      </span>
    );
  }
  if (key.liveSecretCount === 0 && key.expiresAt !== null) {
    return (
      <span class="quiet">
        Expired <Time at={key.expiresAt} />
      </span>
    );
  }
  return (
    <>
      {key.previousSecretEndsAt === null ? (
        <span class="good">Valid</span>
      ) : (
        <span class="warn">
          Two secrets until <Time at={key.previousSecretEndsAt} />
        </span>
      )}
      {key.expiresAt !== null && (
        <div class="quiet">
          Expires <Time at={key.expiresAt} />
        </div>
      )}
    </>
  );
}

function History({ of: id }: { of: string }) {
  return (
    <ul class="several">
      <li>
        <Link to={pathTo(AUDIT_LOG, { entityId: id })} aria-label={`History of ${id}`}>
          History
        </Link>
      </li>
      <li>
        <Link to={pathTo(AUDIT_LOG, { actorId: id })} aria-label={`Activity of ${id}`}>
          Activity
        </Link>
      </li>
    </ul>
  );
}
