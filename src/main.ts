/** The door: on a Node that is too old it says so, before anything is loaded that such a Node cannot read. */
export {}; // so that this is a module

const NEEDED = 24;
/** EX_CONFIG of sysexits.h, as for other faults of what surrounds the program */
const EXIT_CONFIG = 78;

const { node } = process.versions;
if (Number.parseInt(node, 10) < NEEDED) {
  const remedy = `npm install -g node-linux-${process.arch}@${NEEDED} installs it for bin/auth-gateway; in a checkout npm ci does`;
  process.stderr.write(`auth-gateway needs Node ${NEEDED} or newer, and this is Node ${node}: ${remedy}\n`);
  process.exitCode = EXIT_CONFIG;
} else {
  await import('./start/process.js');
}
