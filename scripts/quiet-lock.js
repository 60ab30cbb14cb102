/**
 * `node scripts/quiet-lock.js`: takes `engines` off what `npm ci` on Node 20 would warn about, EBADENGINE, in five lines
 * each. That Node only installs the packages: they run on the one that is installed with them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { satisfies } from 'semver';

const LOCK = 'package-lock.json';
/** The first of each line of Node by which it may be installed */
const INSTALLED_BY = ['20.0.0', '22.0.0', '24.0.0'];

const lock = JSON.parse(readFileSync(LOCK, 'utf8'));
/** Of an optional package npm does not warn: it would leave it out. */
const isLoud = ({ engines, optional }) =>
  engines?.node !== undefined && !optional && !INSTALLED_BY.every((version) => satisfies(version, engines.node));

const loud = Object.entries(lock.packages).filter(([path, entry]) => path.startsWith('node_modules/') && isLoud(entry));
for (const [, entry] of loud) delete entry.engines;
if (loud.length > 0) writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
for (const [path] of loud) process.stdout.write(`${path}\n`);
