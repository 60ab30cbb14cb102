/**
 * News of the audit log, by one stream for all tabs of a browser. A view reads by itself what it shows; the stream says
 * when. If there is no stream, views ask as often as they did without. (Interface 19 and 24)
 */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { auth } from '../kit/auth.js';
import { type AuditEventType, LiveEvents } from './operations.js';

/** How often views ask while the stream is open: milliseconds */
const RARE_MS = 300_000;
/** After a stream that was cut, and after one that was refused or twice not opened: milliseconds */
const SOON_MS = 2_000;
const LATER_MS = 60_000;
/** The gateway says something every 15 s: a connection that is silent for longer is dead. */
const SILENT_MS = 45_000;
/** How often an overview reads again while events keep coming: milliseconds */
export const AGAIN_MS = 10_000;
/** The stream ends if nobody has looked at a view for so long: milliseconds */
const UNSEEN_MS = 60_000;
const NAME = 'auth-gateway live audit log';

type Types = ReadonlyArray<string>;

/** From the tab that has the stream to all tabs */
interface Message {
  isLive: boolean;
  /** Where the stream would resume */
  id?: string | undefined;
  /** Types of events that have come */
  types?: Types;
  /** The stream begins now, so earlier events may be missing. */
  isGap?: boolean;
}

/** Whether a tab of this browser has the stream */
export const isLive = signal(false);

/** Undefined: events of any type may have come. */
const views = new Set<(types: Types | undefined) => void>();
let lastId: string | undefined;
let end: (() => void) | undefined;
let ending: ReturnType<typeof setTimeout> | undefined;

function take({ isLive: isNowLive, id, types, isGap }: Message): void {
  lastId = id ?? lastId;
  isLive.value = isNowLive;
  if (types !== undefined || isGap) for (const read of views) read(isGap ? undefined : types);
}

/** Takes part in the stream: the first tab that asks for the lock has it, the others are told. @returns ends that */
function begin(): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  const channel = new BroadcastChannel(NAME);
  let isLeading = false;
  const tell = (message: Message): void => {
    channel.postMessage(message);
    take(message);
  };
  channel.onmessage = ({ data }: { data: Message | 'joined' }) => {
    if (data !== 'joined') take(data);
    else if (isLeading) channel.postMessage({ isLive: isLive.value, id: lastId } satisfies Message);
  };
  channel.postMessage('joined');
  const lead = (): Promise<void> => {
    isLeading = true;
    return keepOpen(tell, signal);
  };
  // Without locks, as on a page without TLS, each tab has a stream.
  (navigator.locks?.request(NAME, { signal }, lead) ?? lead()).catch(() => undefined); // aborted
  return () => {
    abort.abort();
    channel.close();
    lastId = undefined;
  };
}

async function keepOpen(tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    failures += 1;
    const lasts = (): void => {
      failures = 0;
    };
    const isRefused = await follow(tell, lasts, signal).catch(() => false);
    if (signal.aborted) return;
    const isPolled = isRefused || failures > 1;
    if (isPolled) tell({ isLive: false });
    await new Promise<void>((resolve) => {
      setTimeout(resolve, isPolled ? LATER_MS : SOON_MS);
      signal.addEventListener('abort', () => resolve());
    });
  }
}

/**
 * Until the stream ends.
 * @param lasts called once more than the beginning has come
 * @returns whether it was refused
 * @throws if there is no answer, or it was cut
 */
async function follow(tell: (message: Message) => void, lasts: () => void, signal: AbortSignal): Promise<boolean> {
  const abort = new AbortController();
  const cut = (): void => abort.abort();
  signal.addEventListener('abort', cut);
  let silence = setTimeout(cut, SILENT_MS);
  try {
    const resumed = lastId;
    const answer = await auth.fetch('/graphql', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(resumed !== undefined && { 'last-event-id': resumed }),
      },
      body: JSON.stringify({ query: LiveEvents }),
      signal: abort.signal,
    });
    if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) {
      lastId = undefined; // perhaps it is that
      return answer.status < 500;
    }
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let isOpen = false;
    let rest = '';
    for (;;) {
      const { done, value = '' } = (await reader?.read()) ?? { done: true };
      if (done) return false;
      clearTimeout(silence);
      silence = setTimeout(cut, SILENT_MS);
      const messages = (rest + value).split('\n\n');
      rest = messages.pop() ?? '';
      const come = read(messages);
      tell({ isLive: true, ...come, isGap: !isOpen && resumed === undefined });
      if (isOpen && come.id !== undefined) lasts();
      isOpen = true;
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', cut);
    cut();
  }
}

function read(messages: string[]): Pick<Message, 'id' | 'types'> {
  const text = messages.join('\n');
  const types = Array.from(text.matchAll(/^data: (\{.+)$/gm), ([, data = '']): AuditEventType | undefined => {
    return JSON.parse(data).data?.auditEventAdded?.event.eventType;
  });
  const id = Array.from(text.matchAll(/^id: (.+)$/gm)).at(-1)?.[1];
  const known = types.filter((type) => type !== undefined);
  return { id, ...(known.length > 0 && { types: known }) };
}

/** The stream is open while somebody looks at a view that wants it, and for a minute more. */
function look(): void {
  if (views.size > 0 && !document.hidden) {
    clearTimeout(ending);
    ending = undefined;
    end ??= begin();
  } else if (end !== undefined) {
    ending ??= setTimeout(stop, UNSEEN_MS);
  }
}

function stop(): void {
  clearTimeout(ending);
  ending = undefined;
  end?.();
  end = undefined;
}

document.addEventListener('visibilitychange', look);
auth.on('signed-out', stop);

/** @param pollMs how often a view asks if there is no stream @returns how often it asks now: milliseconds */
export function livePollMs(pollMs: number): number {
  return isLive.value ? RARE_MS : pollMs;
}

/**
 * Calls `again` when news have come: at once, and then at most every `everyMs`. What comes while the page is hidden waits.
 * @param types of events that concern the view; undefined: all
 */
export function useNews(types: Types | undefined, everyMs: number, again: () => void): void {
  const latest = useRef(again);
  latest.current = again;
  const wanted = types?.join();
  useEffect(() => {
    if (wanted === '') return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let nextMs = 0;
    const read = (): void => {
      timer = document.hidden ? setTimeout(read, everyMs) : undefined;
      if (timer !== undefined) return;
      nextMs = Date.now() + everyMs;
      latest.current();
    };
    const onNews = (come: Types | undefined): void => {
      if (come === undefined) latest.current();
      else if (timer === undefined && (wanted === undefined || come.some((type) => wanted.split(',').includes(type))))
        timer = setTimeout(read, Math.max(0, nextMs - Date.now()));
    };
    views.add(onNews);
    look();
    return () => {
      views.delete(onNews);
      clearTimeout(timer);
      look();
    };
  }, [wanted, everyMs]);
}
