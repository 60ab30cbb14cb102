/** The longest test files begin first, so that all processors are busy until the end. Jest knows no times on a new machine. */
import TestSequencer from '@jest/test-sequencer';

const LONGEST = [
  'proof/model/sessions.slow.test.ts',
  'test/db/embedded.slow.test.ts',
  'test/doctor/planted-faults.slow.test.ts',
  'test/build.slow.test.ts',
  'test/dev.slow.test.ts',
  'test/auth/properties.slow.test.ts',
  'test/credentials/build-argon2.slow.test.ts',
  'test/deploy/image.slow.test.ts',
  'test/archive/authenticity.slow.test.ts',
  'test/documents/commands.slow.test.ts',
  'test/races/refresh.slow.test.ts',
  'proof/fuzz/fuzz.slow.test.ts',
  'test/browser/console/keys.slow.test.ts',
  'test/browser/console/audit.slow.test.ts',
  'test/browser/console/user-page.slow.test.ts',
  'test/browser/console/users.slow.test.ts',
];

export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const isLong = ({ path }) => LONGEST.some((file) => path.endsWith(`/${file}`));
    return super.sort(tests).toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}
