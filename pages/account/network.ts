/** The network of an address in words: it says more than the address, and less than a map would pretend to. (Interface 21) */

const HERE = /^(127\.|::1$|::ffff:127\.)/i;
const PRIVATE = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|f[cd]|fe[89ab])/i;

/**
 * Of IPv4 the /24, of IPv6 the /48, which providers give to one customer or place.
 * @param address as the gateway prints it
 */
export function networkText(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (HERE.test(plain)) return 'this machine';
  if (PRIVATE.test(plain)) return `local network address ${plain}`;
  const [v4] = /^\d+\.\d+\.\d+\./.exec(plain) ?? [];
  if (v4 !== undefined) return `network ${v4}x`;
  const [first = '', second = '', third = ''] = plain.split(':');
  return `network ${[first, second, third].map((part) => part || '0').join(':')}:…`;
}
