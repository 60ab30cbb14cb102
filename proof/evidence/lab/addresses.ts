/** Client addresses, as a trusted proxy reports them: the gateway has to run with `TRUSTED`. */
export const TRUSTED = { TRUST_PROXY: '127.0.0.1/32' };

/** The header of a request from the address number `index`, below 2^24. */
export function from(index: number): Record<string, string> {
  return { 'x-forwarded-for': `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}` };
}
