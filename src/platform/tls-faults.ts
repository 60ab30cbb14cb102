/** The meaning of TLS error codes. The remedy depends on whose server it is. */

export type TlsFault = 'expired' | 'not_yet_valid' | 'wrong_name' | 'unknown_ca' | 'no_tls';

/** Codes of Node and OpenSSL. */
const TLS_FAULTS: Array<[fault: TlsFault, codes: RegExp, reason: string]> = [
  ['expired', /^CERT_HAS_EXPIRED$/, "the server's certificate has expired"],
  ['not_yet_valid', /^CERT_NOT_YET_VALID$/, "the server's certificate is not valid yet"],
  ['wrong_name', /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, "the server's certificate is for another name"],
  [
    'unknown_ca',
    /^(CERT_\w+|(DEPTH_ZERO_)?SELF_SIGNED_CERT\w*|UNABLE_TO_\w+|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED)$/,
    "the server's certificate is issued by an unknown CA",
  ],
  ['no_tls', /^(EPROTO|ERR_SSL_\w+)$/, 'the server does not speak TLS'],
];

export function tlsFaultOf(code: string): { fault: TlsFault; reason: string } | undefined {
  const [fault, , reason] = TLS_FAULTS.find(([, codes]) => codes.test(code)) ?? [];
  return fault && reason ? { fault, reason } : undefined;
}
