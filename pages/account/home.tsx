/** All sections, once somebody is logged in. (Interface 21) */
import { Heading } from '../kit/heading.js';
import { ChangePassword } from '../kit/own/change-password.js';
import { MyDevices } from '../kit/own/devices.js';
import { MyFactors } from '../kit/own/factors.js';
import { useReadAgain } from '../kit/own/own.js';
import { HAS_DEVICES, HAS_MAIL, PRODUCT_NAME } from '../kit/settings.js';
import { Settled } from '../kit/settled.js';
import { goToStart } from './anchor.js';
import { ConfirmEmail } from './sections/confirm-email.js';
import { DeleteAccount } from './sections/delete-account.js';
import { Email } from './sections/email.js';
import { ExportData } from './sections/export-data.js';
import { Sessions } from './sections/sessions.js';

export function Home() {
  useReadAgain();
  return (
    <Settled onSettled={goToStart}>
      <Heading text={`Your account at ${PRODUCT_NAME}`} />
      <ConfirmEmail />
      {HAS_MAIL && (
        <div id="email">
          <Email />
        </div>
      )}
      <div id="password">
        <ChangePassword />
      </div>
      <div id="factors">
        <MyFactors />
      </div>
      <div id="sessions" class="view">
        <Sessions />
        {HAS_DEVICES && <MyDevices />}
      </div>
      <div id="data">
        <ExportData />
      </div>
      <div id="delete">
        <DeleteAccount />
      </div>
    </Settled>
  );
}
