/** Thefts that need a look, each with what its session's story says. */
import { useState } from 'preact/hooks';
import { useAsked } from '../../../kit/answer.js';
import { Device } from '../../../kit/device.js';
import { Foreign } from '../../../kit/foreign.js';
import { ask } from '../../../kit/graphql.js';
import { useHeld } from '../../../kit/held.js';
import { Link, pathTo } from '../../../kit/location.js';
import type { Answer } from '../../../kit/rows.js';
import { Time } from '../../../kit/time.js';
import { type Event, Subject } from '../../events.js';
import { AGAIN_MS, useNews } from '../../live.js';
import { Events } from '../../operations.js';
import { AUDIT_LOG } from '../../paths.js';
import { Steps, useSteps } from '../audit/story.js';
import { Part } from './part.js';

const DAYS = 7;
const MAX_SHOWN = 50;
/** Stories that are told without being asked for: each costs the gateway a long reading. */
const TOLD = 3;

export interface Thefts {
  thefts: Event[];
  /** False if there are more */
  isComplete: boolean;
  since: string;
}

export function useThefts(pollMs: number): Answer<Thefts> {
  const answer = useAsked(
    'thefts',
    async (signal) => {
      const start = new Date();
      start.setHours(0, 0, 0, 0);
      start.setDate(start.getDate() - DAYS + 1);
      const since = start.toISOString();
      const { auditEvents } = await ask(Events, { first: MAX_SHOWN, filter: { isTheft: true, since } }, signal);
      return { thefts: auditEvents?.nodes ?? [], isComplete: auditEvents?.pageInfo.hasNextPage === false, since };
    },
    { pollMs },
  );
  useNews(['token_theft'], AGAIN_MS, answer.reload);
  return answer;
}

export function TheftList({ answer }: { answer: Answer<Thefts> }) {
  const held = useHeld(answer.data?.thefts, ({ id }) => id);
  const { isComplete = true, since } = answer.data ?? {};
  return (
    <Part title={`Token thefts of ${DAYS} days`} noun="theft" held={held} problem={answer.problem}>
      <ul class="stack thefts">
        {held.shown?.map((event, i) => (
          <Theft key={event.id} event={event} isTold={i < TOLD} />
        ))}
      </ul>
      {!isComplete && (
        <p class="quiet">
          The latest {MAX_SHOWN}. <Link to={pathTo(AUDIT_LOG, { isTheft: 'true', since })}>All of them</Link>
        </p>
      )}
    </Part>
  );
}

function Theft({ event, isTold }: { event: Event; isTold: boolean }) {
  const { sessionId, createdAt, ipAddress, userAgent } = event;
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="sheet">
      <p>
        <span class="bad">Token theft</span> of <Subject event={event} />, <Time at={createdAt} />
      </p>
      <p class="quiet">
        presented from <Foreign text={ipAddress} />, <Device userAgent={userAgent} />
      </p>
      {sessionId !== null && (
        <>
          {isTold && <Sentence event={event} id={sessionId} />}
          <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary>Steps of the session</summary>
            {isOpen && <AllSteps id={sessionId} />}
          </details>
          <p>
            <Link to={pathTo(AUDIT_LOG, { sessionId })}>Events of this session</Link>
          </p>
        </>
      )}
    </li>
  );
}

function AllSteps({ id }: { id: string }) {
  const steps = useSteps(id);
  if (steps.problem?.reason === 'session_unknown') return <Swept />;
  return <Steps steps={steps} />;
}

function Swept() {
  return <p class="quiet">The session is not stored any more: it is deleted a day after it expires.</p>;
}

/** What the story says of the theft itself: the kind of token, how late, and from where. */
function Sentence({ event, id }: { event: Event; id: string }) {
  const { rows, problem } = useSteps(id);
  if (problem?.reason === 'session_unknown') return <Swept />;
  const told = rows?.filter(({ kind }) => kind === 'token_theft');
  const step = told?.find(({ createdAt }) => createdAt === event.createdAt) ?? told?.[0];
  return <p class="told">{step === undefined ? '' : `${step.detail}.`}</p>;
}
