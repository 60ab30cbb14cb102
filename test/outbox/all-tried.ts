import type { TestGateway } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';

/** Every event has been tried, and no turn is under way, which would go on with the webhook as it was when the turn began. */
export function allTried(gateway: TestGateway): Promise<void> {
  return until('every event has been tried', async () => {
    const open = await gateway.rows(
      `select from outbox_cursors as its
       where paused_at is null and (claimed_by is not null
         or exists (select from audit_events where (written_at, audit_events.id) > (its.front_at, its.front_id)))`,
    );
    return open.length === 0;
  });
}
