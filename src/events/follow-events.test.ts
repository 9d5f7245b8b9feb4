import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../test/support/test-clock.ts';
import { type Followed, follow, hasEnded } from './follow-events.ts';

type Event = { readonly id: number; readonly isLast?: boolean };

function openSource(pageSize = 2) {
  const events: Event[] = [];
  const wakes = new Set<() => void>();
  const state = { isAway: false };
  const source: Followed<Event> = {
    async read(after) {
      if (state.isAway) throw new Error('unavailable');
      return events.filter(({ id }) => id > after).slice(0, pageSize);
    },
    idOf: ({ id }) => id,
    isLast: ({ isLast = false }) => isLast,
    watch(wake) {
      wakes.add(wake);
      return () => wakes.delete(wake);
    },
  };
  function add(...added: readonly Event[]): void {
    events.push(...added);
    for (const wake of wakes) wake();
  }
  return { source, add, state, wakes };
}

function begin(source: Followed<Event>, after = 0) {
  const clock = createTestClock();
  const leaving = new AbortController();
  return { clock, leaving, pages: follow(source, { after, clock, signal: leaving.signal }) };
}

async function ids(pages: AsyncGenerator<readonly Event[]>): Promise<readonly number[]> {
  const page = await pages.next();
  return page.done ? [] : page.value.map(({ id }) => id);
}

test('a reader gets existing events, then new ones, in pages, until the last', async () => {
  const { source, add, wakes } = openSource();
  add({ id: 1 }, { id: 2 }, { id: 3 });
  const { pages } = begin(source);
  assert.deepEqual(await ids(pages), [1, 2]);
  assert.deepEqual(await ids(pages), [3]);
  const next = ids(pages);
  add({ id: 4, isLast: true });
  assert.deepEqual(await next, [4]);
  assert.equal((await pages.next()).done, true);
  assert.equal(wakes.size, 0);
});

test('a reader that resumes gets the events it missed', async () => {
  const { source, add } = openSource();
  add({ id: 1 }, { id: 2 }, { id: 7 });
  assert.deepEqual(await ids(begin(source, 2).pages), [7]);
});

test('an event that comes while a page is being read is not missed', async () => {
  const { source, add } = openSource();
  add({ id: 1 });
  const { pages } = begin(source);
  await ids(pages);
  add({ id: 2 });
  assert.deepEqual(await ids(pages), [2]);
});

test('a last event that is followed by another does not end the stream', async () => {
  const { source, add } = openSource();
  add({ id: 1, isLast: true });
  const { pages } = begin(source);
  assert.deepEqual(await ids(pages), [1]);
  add({ id: 2 });
  assert.deepEqual(await ids(pages), [2]);
});

test('the stream ends when the reader disconnects', async () => {
  const { source, wakes } = openSource();
  const { pages, leaving } = begin(source);
  const next = pages.next();
  leaving.abort();
  assert.equal((await next).done, true);
  assert.equal(wakes.size, 0);
});

test('the stream pauses while the store is unavailable', async () => {
  const { source, add, state } = openSource();
  add({ id: 1 });
  state.isAway = true;
  const { pages, clock } = begin(source);
  const next = ids(pages);
  await clock.advance(1000);
  state.isAway = false;
  await clock.advance(1000);
  assert.deepEqual(await next, [1]);
});

test('a reader of the last event has reached the end until there is another event', async () => {
  const { source, add } = openSource();
  add({ id: 3 }, { id: 5, isLast: true });
  assert.equal(await hasEnded(source, 0), false);
  assert.equal(await hasEnded(source, 3), false);
  assert.equal(await hasEnded(source, 4), false);
  assert.equal(await hasEnded(source, 5), true);
  add({ id: 6 });
  assert.equal(await hasEnded(source, 5), false);
});

test('the readers that an event wakes read a few in each turn of the event loop', async () => {
  const { source, add } = openSource();
  let inTurn = 0;
  let mostInTurn = 0;
  const counted: Followed<Event> = {
    ...source,
    read(after) {
      if (inTurn === 0) setImmediate(() => void (inTurn = 0));
      inTurn += 1;
      mostInTurn = Math.max(mostInTurn, inTurn);
      return source.read(after);
    },
  };
  const pages = Array.from({ length: 40 }, () => ids(begin(counted).pages));
  add({ id: 1, isLast: true });
  assert.deepEqual((await Promise.all(pages)).flat(), Array(40).fill(1));
  assert.ok(mostInTurn <= 8, `${mostInTurn} reads`);
});
