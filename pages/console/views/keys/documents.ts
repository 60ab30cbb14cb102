/** Documents in the commands by which a new key can be tried. (Interface 19 and 24) */
export const TRIED = '{ caller { callerType scopes } }';

/** That of `examples/services/signed.sh` */
export const TRIED_BY_CURL = '{ caller { callerType ... on ApiKeyCaller { keyId serviceName scopes rateLimit } } }';
