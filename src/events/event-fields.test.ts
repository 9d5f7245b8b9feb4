import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBuildEventView } from './build-event-view.ts';
import { withFields } from './event-fields.ts';

const READER = { locale: 'en', timeZone: 'UTC', now: 1_900_000_000_000 };
const VIEW = toBuildEventView(
  {
    id: 7,
    organizationId: 'acme',
    buildId: 'b1',
    type: 'step',
    data: { step: 1 },
    userVisible: true,
    phase: 'deploy',
    title: 'Deploying',
    finished: false,
    createdAt: 1_900_000_000_123,
  },
  READER,
);

test('classic fields are added beside the current ones, with an ISO creation time', () => {
  assert.deepEqual(withFields(VIEW, 'classic'), {
    ...VIEW,
    createdAt: '2030-03-17T17:46:40.123Z',
    eventType: 'step',
    eventData: { step: 1 },
    eventPhase: 'deploy',
    eventTitle: 'Deploying',
    eventDescription: null,
  });
});

test('current fields are the view itself', () => {
  assert.equal(withFields(VIEW, 'current'), VIEW);
});
