import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_EVENTS_PER_REPORT, parseReport } from './parse-report.ts';

test('one event or a list is parsed, and unknown fields are dropped', () => {
  assert.deepEqual(parseReport({ type: 'a', userId: 7, unknown: 1, title: null }), [
    { type: 'a', userId: '7', title: null },
  ]);
  assert.equal(parseReport([{ type: 'a' }, { type: 'b' }]).length, 2);
});

const WRONG: readonly (readonly [unknown, string | undefined])[] = [
  [{}, 'type'],
  [{ type: '' }, 'type'],
  [{ type: 3 }, 'type'],
  [{ type: 'a', overallProgress: 101 }, 'overallProgress'],
  [{ type: 'a', overallProgress: '50' }, 'overallProgress'],
  [{ type: 'a', finished: 'yes' }, 'finished'],
  [{ type: 'a', previewUrl: 'javascript:alert(1)' }, 'previewUrl'],
  [{ type: 'a', durationSeconds: -1 }, 'durationSeconds'],
  [{ type: 'a', title: 'x'.repeat(501) }, 'title'],
  [{ type: 'a', data: 'x'.repeat(70_000) }, 'data'],
  [[{ type: 'a' }, { type: 'b', phase: 1 }], 'events[1].phase'],
  [[], 'events'],
  [null, undefined],
  ['text', undefined],
];

for (const [body, field] of WRONG)
  test(`${JSON.stringify(body).slice(0, 60)} is refused with the name of the wrong field`, () => {
    const params = field === undefined ? {} : { field };
    assert.throws(() => parseReport(body), { code: 'INVALID_REQUEST', params });
  });

test('a report has a maximum number of events', () => {
  const most = Array.from({ length: MAX_EVENTS_PER_REPORT }, () => ({ type: 'a' }));
  assert.equal(parseReport(most).length, MAX_EVENTS_PER_REPORT);
  assert.throws(() => parseReport([...most, { type: 'a' }]), { code: 'INVALID_REQUEST' });
});

test('an event is parsed alike under its classic and its current names', () => {
  const [event] = parseReport({
    eventType: 'step',
    eventData: { step: 1 },
    eventPhase: 'deploy',
    eventTitle: 'Deploying',
    eventDescription: 'To production',
    overallProgress: 40,
  });
  assert.deepEqual(event, {
    type: 'step',
    data: { step: 1 },
    phase: 'deploy',
    title: 'Deploying',
    description: 'To production',
    overallProgress: 40,
  });
});

test('a current name counts before its classic name', () => {
  const [event] = parseReport({ type: 'current', eventType: 'classic' });
  assert.equal(event?.type, 'current');
});

test('a wrong classic field is refused with the name that was given', () => {
  assert.throws(() => parseReport({ eventType: 'step', eventTitle: 3 }), {
    code: 'INVALID_REQUEST',
    params: { field: 'eventTitle' },
  });
});
