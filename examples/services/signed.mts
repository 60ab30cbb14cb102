/** Calls the gateway as a service: signedFetch is a fetch that signs. */
import { signedFetch } from '@auth-gateway/client/sign';

const { GATEWAY_URL = '', KEY_ID: keyId = '', SECRET: secret = '' } = process.env;
const fetchSigned = signedFetch({ keyId, secret });
const response = await fetchSigned(`${GATEWAY_URL}/graphql`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ caller { callerType } }' }),
});
console.log(await response.text());
