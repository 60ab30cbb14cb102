/** The view My sessions, for every role: where the user is logged in, on which devices, and the password. */
import { Heading } from '../heading.js';
import { ChangePassword } from './my-sessions/change-password.js';
import { MyDevices } from './my-sessions/devices.js';
import { Sessions } from './my-sessions/sessions.js';

export function MySessions() {
  return (
    <>
      <Heading text="My sessions" />
      <Sessions />
      <MyDevices />
      <ChangePassword />
    </>
  );
}
