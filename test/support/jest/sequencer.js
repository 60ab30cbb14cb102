/** The longest test files begin first, so that all processors are busy until the end. Jest knows no times on a new machine. */
import TestSequencer from '@jest/test-sequencer';

const LONGEST = [
  'proof/model/sessions.test.ts',
  'test/db/embedded.test.ts',
  'test/doctor/planted-faults.test.ts',
  'test/build.test.ts',
  'test/dev.test.ts',
  'test/auth/properties.test.ts',
  'test/credentials/build-argon2.test.ts',
  'test/deploy/image.test.ts',
  'test/archive/authenticity.test.ts',
  'test/documents/commands.test.ts',
  'test/races/refresh.test.ts',
  'proof/fuzz/fuzz.test.ts',
  'test/browser/console/keys.test.ts',
  'test/browser/console/audit.test.ts',
  'test/browser/console/user-page.test.ts',
  'test/browser/console/users.test.ts',
];

export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const isLong = ({ path }) => LONGEST.some((file) => path.endsWith(`/${file}`));
    return super.sort(tests).toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}
