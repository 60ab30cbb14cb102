/** A certificate of an authenticator's maker, by its own key, in DER. (WebAuthn Level 3 section 8.2.1, RFC 5280) */
import { type KeyObject, sign } from 'node:crypto';
import { newKeyPair } from './software-authenticator.js';

function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...content: Buffer[]) => der(0x30, ...content);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const text = (value: string) => der(0x0c, Buffer.from(value));
const time = (value: string) => der(0x18, Buffer.from(value));

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const BASIC_CONSTRAINTS = oid('551d13');
const CRL_DISTRIBUTION_POINTS = oid('551d1f');

/** Countries, organisations, their units and common names: `550406` and so on */
const NAME = sequence(
  ...Object.entries({ '06': 'SE', '0a': 'Maker', '0b': 'Authenticator Attestation', '03': 'Batch 1' }).map(
    ([type, value]) => der(0x31, sequence(oid(`5504${type}`), text(value))),
  ),
);

/** @param revocationUrl where the certificate says that its list of revocations is */
export function makerCertificate(revocationUrl: string): { certificate: Buffer; privateKey: KeyObject } {
  const { privateKey, publicKey } = newKeyPair('ES256');
  const fullName = der(0xa0, der(0x86, Buffer.from(revocationUrl)));
  const points = sequence(sequence(der(0xa0, fullName)));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    NAME,
    sequence(time('20200101000000Z'), time('21200101000000Z')),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        sequence(BASIC_CONSTRAINTS, der(0x04, sequence())),
        sequence(CRL_DISTRIBUTION_POINTS, der(0x04, points)),
      ),
    ),
  );
  const signature = sign('sha256', content, privateKey);
  return {
    certificate: sequence(content, ECDSA_WITH_SHA256, der(0x03, Buffer.alloc(1), signature)),
    privateKey,
  };
}
