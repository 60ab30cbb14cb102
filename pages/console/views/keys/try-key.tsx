/** Commands by which a new key can be tried at once. They ask the gateway who calls. */
import signedScript from '../../../../examples/services/signed.sh';
import { Copyable } from '../../../kit/copy.js';
import { PUBLIC_URL } from '../../../kit/settings.js';
import { TRIED } from './documents.js';

const BODY = JSON.stringify({ query: TRIED });

/** The command asks for the secret, so that it is in no history of a shell. */
function signCommand(keyId: string): string {
  return [
    `echo '${BODY}' > body.json`,
    `auth-gateway sign POST ${PUBLIC_URL}/graphql \\`,
    `  --key-id ${keyId} \\`,
    '  --body body.json --send',
  ].join('\n');
}

/** Label of a new cron key */
export const HEADER = 'Value of the header X-Internal-Key';

export function TryApiKey({ keyId, secret }: { keyId: string; secret: string }) {
  return (
    <>
      <Copyable label="Try it with the command line of the gateway" text={signCommand(keyId)} />
      <p class="hint">It asks for the secret.</p>
      <details>
        <summary>Try it with curl</summary>
        <Copyable label="Save as signed.sh" text={signedScript.trimEnd()} />
        <Copyable
          label="Run it"
          text={`GATEWAY_URL='${PUBLIC_URL}' KEY_ID='${keyId}' SECRET='${secret}' sh signed.sh`}
        />
        <p class="hint">This command has the secret in it, so the history of your shell may keep it.</p>
      </details>
    </>
  );
}

export function TryCronKey({ headerValue }: { headerValue: string }) {
  const command = [
    `curl -sS --fail-with-body ${PUBLIC_URL}/graphql`,
    '-H @cron-key.txt',
    `-H 'Content-Type: application/json'`,
    `-d '${BODY}'`,
  ].join(' \\\n  ');
  return (
    <>
      <Copyable label="Save as cron-key.txt, for the job alone to read" text={`X-Internal-Key: ${headerValue}`} />
      <Copyable label="Try it" text={command} />
    </>
  );
}
