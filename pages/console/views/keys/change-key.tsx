/** The dialogs that change a key: a new secret, and its end. */
import { useState } from 'preact/hooks';
import { announce } from '../../../kit/announce.js';
import { ChangeDialog } from '../../../kit/change-dialog.js';
import { Choosable } from '../../../kit/choice.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { Problem } from '../../../kit/problem.js';
import { Time } from '../../../kit/time.js';
import { RevokeApiKey, RevokeCronKey, RotateApiKey, type RotateApiKeyInput, RotateCronKey } from '../../operations.js';
import { DAY_SECONDS, OverlapChoice, PreviousSecret, SecretOnce } from '../../secrets.js';
import { isApiKey, type Key } from './key.js';
import { HEADER, TryApiKey, TryCronKey } from './try-key.js';

interface Props {
  of: Key;
  onChange(): void;
  onClose(): void;
}

/** If two secrets are valid already, a rotation has to say that it ends the older one. */
export function RotateDialog({ of: key, onChange, onClose }: Props) {
  const [overlapSeconds, setOverlap] = useState(DAY_SECONDS);
  const [isForced, setForced] = useState(key.previousSecretEndsAt !== null);
  const rotate = async () => {
    const rotated = await newSecret(key, { id: key.id, overlapSeconds, force: isForced }).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.reason !== 'two_secrets_live') throw error;
      setForced(true); // somebody else has rotated it since the list was read
      onChange();
      throw new Problem(
        'Nothing was changed: the key has two valid secrets by now. Tick the box to end the older one, then rotate.',
        false,
      );
    });
    if (rotated === undefined) return;
    announce(`The ${inSentence(key)} of ${key.serviceName} has a new secret.`);
    onChange();
    return (
      <SecretOnce label={isApiKey(key) ? 'New secret' : HEADER} secret={rotated.secret}>
        <PreviousSecret verb="is valid" endsAt={rotated.previousSecretEndsAt} />
        {isApiKey(key) ? (
          <TryApiKey keyId={key.id} secret={rotated.secret} />
        ) : (
          <TryCronKey headerValue={rotated.secret} />
        )}
      </SecretOnce>
    );
  };
  return (
    <ChangeDialog
      title="Rotate the secret"
      action="Rotate"
      tone={isForced || overlapSeconds === 0 ? 'bad' : 'plain'}
      onSubmit={rotate}
      onClose={onClose}
    >
      <p>
        Gives the key of{' '}
        <strong>
          <Foreign text={key.serviceName} />
        </strong>{' '}
        a new secret, which is shown once.
      </p>
      {isForced && <TwoSecrets of={key} />}
      <OverlapChoice
        verb="stays valid"
        atOnce="After a leak. The service is refused until it has the new secret."
        chosen={overlapSeconds}
        onChoose={setOverlap}
      />
    </ChangeDialog>
  );
}

/** Of a cron key the secret is the whole value of its header. */
async function newSecret(
  key: Key,
  input: RotateApiKeyInput,
): Promise<{ secret: string; previousSecretEndsAt: string | null } | undefined> {
  if (isApiKey(key)) {
    const { rotateApiKey: rotated } = await ask(RotateApiKey, { input });
    return rotated === null ? undefined : { ...rotated.apiKey, secret: rotated.secret };
  }
  const { rotateCronKey: rotated } = await ask(RotateCronKey, { input });
  return rotated === null ? undefined : { ...rotated.cronKey, secret: rotated.headerValue };
}

/** The choice of `force` */
function TwoSecrets({ of: { previousSecretEndsAt, serviceName } }: { of: Key }) {
  return (
    <div class="notice warn">
      <p>
        Two secrets of this key are valid
        {previousSecretEndsAt !== null && (
          <>
            , the older one until <Time at={previousSecretEndsAt} />
          </>
        )}
        . If <Foreign text={serviceName} /> still uses the older one, it is refused until it has the new one.
      </p>
      <Choosable
        type="checkbox"
        name="force"
        required
        option={{ value: 'yes', label: 'End the older secret at once' }}
      />
    </div>
  );
}

export function RevokeDialog({ of: key, onChange, onClose }: Props) {
  const revoke = async () => {
    if (isApiKey(key)) await ask(RevokeApiKey, { id: key.id });
    else await ask(RevokeCronKey, { id: key.id });
    announce(`The ${inSentence(key)} of ${key.serviceName} is revoked.`);
    onChange();
  };
  return (
    <ChangeDialog
      title={`Revoke the ${inSentence(key)}`}
      action="Revoke"
      tone="bad"
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>
        Every request of{' '}
        <strong>
          <Foreign text={key.serviceName} />
        </strong>{' '}
        with <code>{key.id}</code> is refused at once, by all instances. This cannot be undone.
      </p>
      <p>
        {key.lastUsedAt === null ? (
          'The key was never used.'
        ) : (
          <>
            The key was last used on <Time at={key.lastUsedAt} />.
          </>
        )}
      </p>
    </ChangeDialog>
  );
}

/** `API key`, `cron key` */
function inSentence(key: Key): string {
  return isApiKey(key) ? 'API key' : 'cron key';
}
