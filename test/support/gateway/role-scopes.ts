/** A gateway with ROLE_SCOPES_FILE. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '../../../src/domain/roles.js';
import { type Setup, startGateway, type TestGateway } from './gateway.js';

/** The file is there during the start alone, because it is read once. */
export async function startWithRoleScopes(
  scopes: Partial<Record<Role, string[]>>,
  setup: Setup = {},
): Promise<TestGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'role-scopes-'));
  const ROLE_SCOPES_FILE = join(folder, 'roles.json');
  try {
    await writeFile(ROLE_SCOPES_FILE, JSON.stringify(scopes));
    return await startGateway({ ...setup, env: { ...setup.env, ROLE_SCOPES_FILE } });
  } finally {
    await rm(folder, { recursive: true });
  }
}
