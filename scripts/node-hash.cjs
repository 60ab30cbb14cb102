/** Replaces `sha.js` in the bundle: Apollo falls back to it, slowly and for each query, if it does not recognise Node. */
module.exports = require('node:crypto').createHash;
