/** A real Chromium, as Debian packages it, driven by playwright-core. Nothing that it asks for leaves this machine. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** undefined where it is not installed */
export const CHROMIUM = programAt('chromium');

/** The same engine without windows, in a package of its own: a page costs half as much. */
const HEADLESS_SHELL = programAt('chromium-headless-shell');

function programAt(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** Hosts of one site and of another, all of them this machine. */
const HOSTS =
  'MAP *.example.com 127.0.0.1, MAP *.example.net 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1';

/**
 * Headless and without a sandbox, as root needs it; certificates may be self-made.
 * @param ports by host, for addresses without a port
 * @throws if there is none
 */
function options(ports: Record<string, number> = {}) {
  if (CHROMIUM === undefined) throw new Error('there is no chromium on the PATH');
  const rules = [...Object.entries(ports).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}`), HOSTS];
  const args = ['--no-sandbox', '--ignore-certificate-errors', `--host-resolver-rules=${rules.join(', ')}`];
  return { executablePath: CHROMIUM, args };
}

/** Its profiles are as private windows: they keep no cookie of another site. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch(options());
}

/** For addresses without ports. The button `Back` shows a page as it was left, as people have it. @param ports by host */
export function launchWithNames(ports: Record<string, number>): Promise<Browser> {
  return chromium.launch({ ...options(ports), ignoreDefaultArgs: ['--disable-back-forward-cache'] });
}

/** For pages of which only what they show and do matters; without the package, Chromium itself. One process draws all. */
export function launchHeadlessShell(): Promise<Browser> {
  const { executablePath, args } = options();
  const lighter = [...args, '--renderer-process-limit=1']; // a seventh less of the processor
  return chromium.launch({ executablePath: HEADLESS_SHELL ?? executablePath, args: lighter });
}

/** An ordinary profile that keeps cookies of other sites, as Chrome's do and those of Debian's Chromium do not. */
export async function launchWithThirdPartyCookies(): Promise<{ profile: BrowserContext; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'profile-'));
  await mkdir(join(folder, 'Default'));
  await writeFile(join(folder, 'Default/Preferences'), JSON.stringify({ profile: { cookie_controls_mode: 0 } }));
  const profile = await chromium.launchPersistentContext(folder, options());
  const close = async (): Promise<void> => {
    await profile.close();
    await rm(folder, { recursive: true, maxRetries: 10 });
  };
  return { profile, close };
}
