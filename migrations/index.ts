/** Every migration, oldest first. A landed migration is never edited; a change is a new one at the end. */
import { Migration20261121000001_users_sessions_audit } from './Migration20261121000001_users_sessions_audit.js';
import { Migration20261121000002_keys_and_nonces } from './Migration20261121000002_keys_and_nonces.js';
import { Migration20261121000003_administration } from './Migration20261121000003_administration.js';
import { Migration20261121000004_user_listings } from './Migration20261121000004_user_listings.js';
import { Migration20261121000005_event_names } from './Migration20261121000005_event_names.js';
import { Migration20261122000001_sessions } from './Migration20261122000001_sessions.js';
import { Migration20261122000002_sessions_begun_before } from './Migration20261122000002_sessions_begun_before.js';
import { Migration20261122000003_rotations_in_place } from './Migration20261122000003_rotations_in_place.js';

export const migrations = [
  Migration20261121000001_users_sessions_audit,
  Migration20261121000002_keys_and_nonces,
  Migration20261121000003_administration,
  Migration20261121000004_user_listings,
  Migration20261121000005_event_names,
  Migration20261122000001_sessions,
  Migration20261122000002_sessions_begun_before,
  Migration20261122000003_rotations_in_place,
].map((migration) => ({ name: migration.name, class: migration }));
