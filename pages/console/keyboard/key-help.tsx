/** Which keys there are, and the switch for those without Ctrl. */

import { listedViews } from '../views.js';
import { singleKeys, switchSingleKeys } from './keys.js';
import { Modal } from './modal.js';

export function KeyHelp({ onClose }: { onClose(): void }) {
  return (
    <Modal label="Keys" class="keys-help" onClose={onClose}>
      <h2>Keys</h2>
      <dl>
        <Row keys={['Ctrl', 'K']} does="Commands: go somewhere, do something, find a user" />
        <Row keys={['/']} does="Search" />
        {listedViews().map(({ name, letter = '' }) => (
          <Row key={name} keys={['g', letter]} does={name} />
        ))}
        <Row keys={['?']} does="These keys" />
      </dl>
      <label class="option">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={({ currentTarget }) => switchSingleKeys(currentTarget.checked)}
        />
        Keys without Ctrl
      </label>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </Modal>
  );
}

function Row({ keys, does }: { keys: string[]; does: string }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  );
}
