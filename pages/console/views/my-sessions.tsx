/** The view My sessions, for every role: where the user is logged in, second factors, known devices, and the password. */
import { FactorWanted } from '../factor-wanted.js';
import { Heading } from '../heading.js';
import { ChangePassword } from './my-sessions/change-password.js';
import { MyDevices } from './my-sessions/devices.js';
import { MyFactors } from './my-sessions/factors.js';
import { Sessions } from './my-sessions/sessions.js';

export function MySessions() {
  return (
    <>
      <Heading text="My sessions" />
      <FactorWanted>
        Add one under <a href="#second-factors">Second factors</a>.
      </FactorWanted>
      <Sessions />
      <MyFactors />
      <MyDevices />
      <ChangePassword />
    </>
  );
}
