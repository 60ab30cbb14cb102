/** The view Keys: the keys of services, and those of scheduled jobs. */
import { useState } from 'preact/hooks';
import { useAnswer, useAsked, usePages } from '../../kit/answer.js';
import { can } from '../../kit/auth.js';
import { ask } from '../../kit/graphql.js';
import { Heading } from '../../kit/heading.js';
import { place } from '../../kit/location.js';
import { useAskedFor } from '../asked-for.js';
import { ApiKeys, CountApiKeys, CountCronKeys, CronKeys, FindKey } from '../operations.js';
import { RevokeDialog, RotateDialog } from './keys/change-key.js';
import { CreateApiKeyDialog, CreateCronKeyDialog } from './keys/create-key.js';
import type { Key } from './keys/key.js';
import { KeyFilters, keyFilter } from './keys/key-filters.js';
import { KeySection, OneKey } from './keys/key-section.js';
import { keyColumns } from './keys/key-table.js';

const ROWS = 50;

type Change = { kind: 'create API key' | 'create cron key' } | { kind: 'rotate' | 'revoke'; key: Key };

export function Keys() {
  const filter = keyFilter();
  const id = place.value.query.get('id') ?? '';
  const apiKeys = usePages(ApiKeys, { first: ROWS, filter }, ({ apiKeys: page }) => page);
  const cronKeys = usePages(CronKeys, { first: ROWS, filter }, ({ cronKeys: page }) => page);
  const apiCount = useAnswer(CountApiKeys, { filter });
  const cronCount = useAnswer(CountCronKeys, { filter });
  const one = useAsked(`key ${id}`, async (signal) => ({ id, key: id === '' ? undefined : await findKey(id, signal) }));
  const [change, setChange] = useState<Change>();
  useAskedFor((what) => {
    if (can('keys:write')) setChange({ kind: what === 'cron key' ? 'create cron key' : 'create API key' });
  });

  const dialog = {
    onChange: () => {
      for (const { reload } of [apiKeys, cronKeys, apiCount, cronCount, one]) reload();
    },
    onClose: () => setChange(undefined),
  };
  const columns = keyColumns({
    onRotate: (key) => setChange({ kind: 'rotate', key }),
    onRevoke: (key) => setChange({ kind: 'revoke', key }),
  });
  return (
    <>
      <Heading text="Keys" />
      {id !== '' && <OneKey key={id} id={id} answer={one} columns={columns} />}
      <KeyFilters />
      <KeySection
        title="API keys"
        purpose="A service signs its requests with an API key."
        read={apiKeys}
        count={apiCount.data?.apiKeys?.totalCount}
        columns={columns}
        create="Create an API key"
        onCreate={() => setChange({ kind: 'create API key' })}
      />
      <KeySection
        title="Cron keys"
        purpose="A scheduled job sends a cron key with each request."
        read={cronKeys}
        count={cronCount.data?.cronKeys?.totalCount}
        columns={columns}
        create="Create a cron key"
        onCreate={() => setChange({ kind: 'create cron key' })}
      />
      {change?.kind === 'create API key' && <CreateApiKeyDialog {...dialog} />}
      {change?.kind === 'create cron key' && <CreateCronKeyDialog {...dialog} />}
      {change?.kind === 'rotate' && <RotateDialog of={change.key} {...dialog} />}
      {change?.kind === 'revoke' && <RevokeDialog of={change.key} {...dialog} />}
    </>
  );
}

/** Whether it works or is revoked. @returns undefined if no key has the id */
async function findKey(id: string, signal: AbortSignal): Promise<Key | undefined> {
  const { apiKeys, cronKeys } = await ask(FindKey, { id }, signal);
  return apiKeys?.nodes[0] ?? cronKeys?.nodes[0];
}
