/** The view Gateway: the instance that answers, what `doctor` finds, limits and mail, its keyring and its settings. */

import { useAnswer } from '../../kit/answer.js';
import { Heading } from '../../kit/heading.js';
import { HAS_EXPLORER } from '../../kit/settings.js';
import { Answered } from '../../kit/states.js';
import { Time } from '../../kit/time.js';
import { GatewayFacts, type GatewayFactsQuery } from '../operations.js';
import { Addresses } from './gateway/addresses.js';
import { Findings } from './gateway/findings.js';
import { Keyring } from './gateway/keyring.js';
import { Mail } from './gateway/mail.js';
import { Settings } from './gateway/settings.js';

type Facts = NonNullable<GatewayFactsQuery['gateway']>;

export function Gateway() {
  const answer = useAnswer(GatewayFacts, {});
  return (
    <>
      <Heading text="Gateway" />
      <Answered answer={answer}>{({ gateway }) => gateway !== null && <Instance facts={gateway} />}</Answered>
      <Findings />
      <Addresses />
      <Mail />
      <Answered answer={{ data: answer.data, problem: undefined }}>
        {({ gateway }) => gateway !== null && <Keyring keys={gateway.keys} />}
      </Answered>
      <Settings />
    </>
  );
}

function Instance({ facts }: { facts: Facts }) {
  const { version, nodeVersion, startedAt, publicUrl, isDevelopment, areWebhooksOn, isMailOn, areKnownDevicesOn } =
    facts;
  return (
    <section aria-labelledby="instance">
      <div class="bar">
        <h2 id="instance">This instance</h2>
        {HAS_EXPLORER && <a href="/graphql">Open the explorer, logged in as here</a>}
      </div>
      <dl class="facts-list">
        <dt>Version</dt>
        <dd>
          {version} <span class="quiet">on Node {nodeVersion}</span>
        </dd>
        <dt>Started</dt>
        <dd>
          <Time at={startedAt} />
        </dd>
        <dt>Public URL</dt>
        <dd>
          {publicUrl} <span class="quiet">({isDevelopment ? 'development' : 'production'})</span>
        </dd>
        <dt>Webhooks</dt>
        <dd>{onOff(areWebhooksOn)}</dd>
        <dt>Mail</dt>
        <dd>{onOff(isMailOn)}</dd>
        <dt>Known devices</dt>
        <dd>{onOff(areKnownDevicesOn)}</dd>
      </dl>
    </section>
  );
}

function onOff(isOn: boolean) {
  return isOn ? 'On' : <span class="quiet">Off</span>;
}
