/** `node scripts/release/notes.js` prints the section of this version, for the workflow, which installs no package. */
import { readFileSync } from 'node:fs';
import { sectionOfVersion } from './changelog.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const section = sectionOfVersion(readFileSync('CHANGELOG.md', 'utf8'), version);
if (section === undefined) throw new Error(`CHANGELOG.md has no section of ${version}`);
process.stdout.write(`${section}\n`);
