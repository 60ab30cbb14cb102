/** Hashes that other programs have made. */
export interface Foreign {
  /** The program, or where the example is published */
  of: string;
  password: string;
  hash: string;
}

const PASSWORD = 'Zwölf Bären tanzen leise';

function base64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64').replace(/=+$/, '');
}

const SODIUM_CHLORIDE = Buffer.from('SodiumChloride').toString('base64').replace(/=+$/, '');
const RFC_SCRYPT =
  '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887';
const RFC_PBKDF2 =
  '4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d';
const FIREBASE_SIGNER_KEY = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';
const FIREBASE_KEY = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==';

export const FOREIGN_HASHES: readonly Foreign[] = [
  {
    of: 'argon2i, test.c of phc-winner-argon2',
    password: 'password',
    hash: '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
  },
  {
    of: 'bcrypt 2b, Python’s bcrypt 5.0',
    password: PASSWORD,
    hash: '$2b$06$fSjVrM9L9.C00SYTnz1sY.OGw1DseOooJFCHo9zApo1NH5Z6.x6om',
  },
  {
    of: 'bcrypt 2a, Python’s bcrypt 5.0',
    password: PASSWORD,
    hash: '$2a$05$CXu0C7y5KF9ytKzSmADPC.94N6wKa8IBT0MI432.CciB73dD8Zofe',
  },
  {
    of: 'bcrypt 2y, Python’s bcrypt 5.0',
    password: 'rasmuslerdorf',
    hash: '$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',
  },
  {
    of: 'scrypt, RFC 7914 section 12',
    password: 'pleaseletmein',
    hash: `$scrypt$ln=14,r=8,p=1$${SODIUM_CHLORIDE}$${base64(RFC_SCRYPT)}`,
  },
  {
    of: 'scrypt, passlib 1.7.4',
    password: PASSWORD,
    hash: '$scrypt$ln=10,r=8,p=1$DsHYu3durVXq/f//v9eaEw$2rpJ42dUMXdMlstkV+EriuBwuSv8n9Jmge8dbGoRQ68',
  },
  {
    of: 'PBKDF2-SHA256, RFC 7914 section 11, in PHC form',
    password: 'Password',
    hash: `$pbkdf2-sha256$i=80000,l=64$TmFDbA$${base64(RFC_PBKDF2)}`,
  },
  {
    of: 'PBKDF2-SHA256, passlib 1.7.4',
    password: PASSWORD,
    hash: '$pbkdf2-sha256$2900$aM25d.69d44xBuC8F4IQog$jXOo4blycXlrFuNQPRSj6bxy/RYRqWvnyI0rIRp6raY',
  },
  {
    of: 'PBKDF2-SHA512, passlib 1.7.4',
    password: PASSWORD,
    hash: '$pbkdf2-sha512$2500$EUKoVarV.t875/yfkxKidA$ntxSrEmnta2ikCXa9pSQ0hocOdmEerPIrYZNKchRdiltgF7lNVEuYAz8L2VLyClV4IbopsN6XR3BJtIE5RVHGA',
  },
  {
    of: 'Django 5.2',
    password: PASSWORD,
    hash: 'pbkdf2_sha256$2000$5wPyCx0Q1hUJ8kXr2bYf3v$MByk46M0Jbqj8omv2bDhoZUuNLYjAvsjUBMdCijRQTI=',
  },
  {
    of: 'Firebase, the example of its scrypt utility, as Supabase writes it',
    password: 'user1password',
    hash: `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${FIREBASE_SIGNER_KEY}$42xEC+ixf3L2lw==$${FIREBASE_KEY}`,
  },
];
