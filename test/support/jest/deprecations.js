/**
 * For `node --import`: a deprecated call of a package, such as two queries at once on one connection, fails the test that
 * caused it. Warnings of Node, which have a code, do not: hostile requests cause one in Express.
 */
process.on('warning', (warning) => {
  if (warning.name === 'DeprecationWarning' && warning.code === undefined) throw warning;
});
