/** The documents that the page at `/` links to, as text. (Interface 5, development) */
import { existsSync } from 'node:fs';
import type { Express } from 'express';
import { packagePath } from '../../platform/package-path.js';
import { addReadOnly } from '../errors.js';

const DOCUMENTS: Array<[path: string, about: string]> = [
  ['README.md', 'overview and quick start'],
  ['docs/login.md', 'how to log users in on a web page'],
  ['docs/native-apps.md', 'how an app logs users in'],
  ['docs/passwords.md', 'invitations, changed and forgotten passwords'],
  ['docs/dashboards.md', 'GraphQL queries, limits and errors'],
  ['docs/services.md', 'how services sign their requests'],
  ['docs/monitoring.md', 'metrics, logs and health'],
];

/** @returns those that are here: a checkout has all of them, the image none */
export function documentsHere(): typeof DOCUMENTS {
  return DOCUMENTS.filter(([path]) => existsSync(packagePath(path)));
}

export function addDocuments(app: Express): void {
  for (const [path] of documentsHere()) {
    const options = { root: packagePath(), cacheControl: false };
    addReadOnly(app, `/${path}`, (_req, res) => res.type('txt').sendFile(path, options));
  }
}
