/** The state table of the client. (Interface 13) */
import { type Event, type State, TABLE, type Table } from '../../client/src/table.js';

const STATES = Object.keys(TABLE) as State[];
const to = (state: State, event: Event): State => (TABLE as Table)[state][event][0];
const effect = (state: State, event: Event): string | undefined => (TABLE as Table)[state][event][1];

test('a gap does not compile', () => {
  const { failed: _, ...row } = TABLE.resuming;
  const { resuming: __, ...rows } = TABLE;
  // @ts-expect-error an event is missing
  const withoutEvent: Table = { ...TABLE, resuming: row };
  // @ts-expect-error a state is missing
  const withoutState: Table = rows;
  // @ts-expect-error a state that there is not
  const elsewhere: Table = { ...TABLE, resuming: { ...TABLE.resuming, failed: ['nowhere'] } };
  expect([withoutEvent, withoutState, elsewhere]).toHaveLength(3);
});

test('every state can be come to, and a session ends by the 401 of a refresh or by a logout alone', () => {
  const steps = STATES.flatMap((from) =>
    (Object.keys(TABLE[from]) as Array<Event | 'status' | 'isWanted'>)
      .filter((event) => event !== 'status' && event !== 'isWanted')
      .map((event) => ({ from, event, to: to(from, event) })),
  );
  expect(steps).toHaveLength(8 * 12);
  expect(new Set(steps.filter((step) => step.from !== step.to).map((step) => step.to))).toEqual(
    new Set(STATES.filter((state) => state !== 'unknown')), // in which a page only begins
  );
  const ending = steps.filter((step) => step.to === 'signed-out' && step.from !== 'signed-out');
  expect(new Set(ending.filter(({ from }) => from !== 'half').map(({ event }) => event))).toEqual(
    new Set(['refused', 'ended']),
  );
});

test.each(STATES)('%s: a failure changes nothing, a logout begins, and what is ended holds no token', (state) => {
  expect([to(state, 'failed'), effect(state, 'failed')]).toEqual([state, undefined]);
  expect(to(state, 'leave')).toBe('leaving');
  expect(to(state, 'ended')).toBe('signed-out');
  for (const event of ['refused', 'ended'] as const) {
    const isOver = state !== 'signed-out' && to(state, event) === 'signed-out';
    expect(effect(state, event)).toBe(isOver ? 'forget' : undefined);
  }
});

test('while a logout is under way no answer to a refresh brings the session back', () => {
  for (const event of ['granted', 'refused', 'failed', 'wanted'] as const) {
    expect([to('leaving', event), effect('leaving', event)]).toEqual(['leaving', undefined]);
  }
  for (const state of ['leaving', 'signed-out', 'half'] as const)
    expect(TABLE[state].outdated).toEqual([state, 'leave']);
});

test('a logout goes on until it is confirmed or refused, or until somebody logs in, and looks like nothing else', () => {
  const ends = Object.keys(TABLE.leaving).filter((event) => TABLE.leaving[event as Event]?.[0] !== 'leaving');
  expect(ends.filter((event) => event !== 'status' && event !== 'isWanted').toSorted()).toEqual([
    'ended',
    'entered',
    'replaced',
    'stayed',
  ]);
  expect(STATES.filter((state) => TABLE[state].status === 'signing-out')).toEqual(['leaving']);
  for (const state of STATES) expect([to(state, 'leave'), effect(state, 'leave')]).toEqual(['leaving', 'drop']);
});

test('nobody who is signed out causes a refresh', () => {
  for (const state of ['signed-out', 'half', 'switching'] as const) {
    expect([to(state, 'wanted'), effect(state, 'wanted')]).toEqual([state, undefined]);
  }
  expect(STATES.filter((state) => TABLE[state].isWanted)).toEqual(['unknown', 'resuming', 'renewing']);
});

test('Interface 20: a login that wants a second factor waits for it, unless a logout is wanted', () => {
  for (const state of STATES) {
    const isHalf = TABLE[to(state, 'half')].status === 'second-factor';
    expect([state, isHalf]).toEqual([state, state !== 'leaving']);
  }
  expect(STATES.filter((state) => TABLE[state].status === 'second-factor')).toEqual(['half', 'switching']);
  expect([to('signed-out', 'half'), to('half', 'cancel')]).toEqual(['half', 'signed-out']);
  expect(effect('half', 'cancel')).toBe('drop'); // the challenge is forgotten
});

test('Interface 20: a session before it holds no token meanwhile, and continues if it is given up', () => {
  for (const state of ['unknown', 'resuming', 'signed-in', 'renewing'] as const) {
    expect([to(state, 'half'), effect(state, 'half')]).toEqual(['switching', 'drop']);
  }
  expect([to('switching', 'cancel'), effect('switching', 'cancel')]).toEqual(['resuming', 'refresh']);
  expect([to('switching', 'granted'), effect('switching', 'granted')]).toEqual(['switching', undefined]);
});

test('Interface 20: a login, a logout and a session of another tab replace it', () => {
  for (const state of ['half', 'switching'] as const) {
    expect(to(state, 'entered')).toBe('signed-in');
    expect(to(state, 'leave')).toBe('leaving');
    expect(to(state, 'ended')).toBe('signed-out');
    expect(to(state, 'replaced')).toBe('resuming');
  }
});

test('Interface 20: giving up changes nothing else', () => {
  for (const state of STATES.filter((state) => TABLE[state].status !== 'second-factor')) {
    expect([to(state, 'cancel'), effect(state, 'cancel')]).toEqual([state, undefined]);
  }
});
