/** How a receiver knows that the gateway has sent an event. */
import { Copyable } from '../../../kit/copy.js';

const VERIFY = `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

/** The event; throws unless the gateway has signed this body. Pass the body as it came, before it is parsed. */
export const verify = (body, headers) => webhook.verify(body, headers);
`;

export function VerifySnippet() {
  return (
    <>
      <Copyable label="Verify events in the receiver (npm install standardwebhooks)" text={VERIFY} />
      <p class="hint">
        Put the secret into its environment as <code>WEBHOOK_SECRET</code>. Answer 2xx within 15 seconds.
      </p>
    </>
  );
}
