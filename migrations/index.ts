/** Every migration by the name of its class, oldest first. Never edit a landed one; add a new one at the end. */
import type { Migration } from '@mikro-orm/migrations';

type MigrationClass = new (...parts: ConstructorParameters<typeof Migration>) => Migration;

/** Loaded only if one may have to be applied, not at every start. */
const FILES: Record<string, () => Promise<Record<string, MigrationClass>>> = {
  Migration20261121000001_users_sessions_audit: () => import('./Migration20261121000001_users_sessions_audit.js'),
  Migration20261121000002_keys_and_nonces: () => import('./Migration20261121000002_keys_and_nonces.js'),
  Migration20261121000003_administration: () => import('./Migration20261121000003_administration.js'),
  Migration20261121000004_user_listings: () => import('./Migration20261121000004_user_listings.js'),
  Migration20261121000005_event_names: () => import('./Migration20261121000005_event_names.js'),
  Migration20261122000001_sessions: () => import('./Migration20261122000001_sessions.js'),
  Migration20261122000002_sessions_begun_before: () => import('./Migration20261122000002_sessions_begun_before.js'),
  Migration20261122000003_rotations_in_place: () => import('./Migration20261122000003_rotations_in_place.js'),
  Migration20261122000004_proof_of_retry: () => import('./Migration20261122000004_proof_of_retry.js'),
  Migration20261122000005_audit_order: () => import('./Migration20261122000005_audit_order.js'),
  Migration20261123000001_password_links: () => import('./Migration20261123000001_password_links.js'),
  Migration20261123000002_known_devices: () => import('./Migration20261123000002_known_devices.js'),
  Migration20261124000001_sweep_by_key: () => import('./Migration20261124000001_sweep_by_key.js'),
  Migration20261125000001_outbox: () => import('./Migration20261125000001_outbox.js'),
  Migration20261125000002_audit_lookups: () => import('./Migration20261125000002_audit_lookups.js'),
  Migration20261125000003_listings: () => import('./Migration20261125000003_listings.js'),
  Migration20261126000002_requested_links: () => import('./Migration20261126000002_requested_links.js'),
  Migration20261126000003_key_expiry: () => import('./Migration20261126000003_key_expiry.js'),
  Migration20261127000001_second_factors: () => import('./Migration20261127000001_second_factors.js'),
  Migration20261127000002_email_changes: () => import('./Migration20261127000002_email_changes.js'),
  Migration20261128000001_gate_codes: () => import('./Migration20261128000001_gate_codes.js'),
  Migration20261128000002_users_without_password: () => import('./Migration20261128000002_users_without_password.js'),
  Migration20261128000003_webhook_attempts: () => import('./Migration20261128000003_webhook_attempts.js'),
};

export const migrations = Object.entries(FILES).map(([name, load]) => ({ name, load }));
