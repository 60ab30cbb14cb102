/** In the bundle in the place of `sha.js`, which Apollo takes where it believes that this is no Node: for each query, and slowly. */
module.exports = require('node:crypto').createHash;
