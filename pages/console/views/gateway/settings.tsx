/** The variables of the instance: first those that are set. */
import { useState } from 'preact/hooks';
import { useAnswer } from '../../../kit/answer.js';
import { Foreign } from '../../../kit/foreign.js';
import { Answered } from '../../../kit/states.js';
import { type Column, Table } from '../../../kit/table.js';
import { GatewaySettings, type GatewaySettingsQuery } from '../../operations.js';

type Setting = NonNullable<GatewaySettingsQuery['gateway']>['settings'][number];

const COLUMNS: Column<Setting>[] = [
  { name: 'Variable', cell: ({ name }) => <code>{name}</code> },
  {
    name: 'Value',
    cell: ({ value, isSet }) => (value === null && isSet ? <Quiet text="Hidden" /> : <Text of={value} />),
  },
  { name: 'Default', cell: (setting) => <Text of={setting.default} /> },
];

const Quiet = ({ text }: { text: string }) => <span class="quiet">{text}</span>;
const Text = ({ of }: { of: string | null }) => (of === null ? <Quiet text="None" /> : <Foreign text={of} />);

export function Settings() {
  const answer = useAnswer(GatewaySettings, {});
  const [areAllShown, setAllShown] = useState(false);
  return (
    <section aria-labelledby="settings">
      <div class="bar">
        <h2 id="settings">Settings</h2>
        <button type="button" onClick={() => setAllShown(!areAllShown)}>
          {areAllShown ? 'Show what is set' : 'Show all'}
        </button>
      </div>
      <p class="quiet">
        Environment variables of this instance, which are read at its start. <code>docs/configuration.md</code> explains
        each. Values that may hold a password are hidden.
      </p>
      <Answered answer={answer}>
        {({ gateway }) =>
          gateway !== null && (
            <Table
              caption="Settings"
              columns={COLUMNS}
              rows={gateway.settings.filter(({ isSet }) => isSet || areAllShown)}
              keyOf={({ name }) => name}
            />
          )
        }
      </Answered>
    </section>
  );
}
