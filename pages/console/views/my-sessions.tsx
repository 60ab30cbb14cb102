/** The view My sessions, for every role: where the user is logged in, second factors, known devices, and the password. */

import { Heading } from '../../kit/heading.js';
import { ChangePassword } from '../../kit/own/change-password.js';
import { MyDevices } from '../../kit/own/devices.js';
import { MyFactors } from '../../kit/own/factors.js';
import { useReadAgain } from '../../kit/own/own.js';
import { FactorWanted } from '../factor-wanted.js';
import { Sessions } from './my-sessions/sessions.js';

export function MySessions() {
  useReadAgain();
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
