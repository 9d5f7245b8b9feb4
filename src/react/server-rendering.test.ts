// The hooks on a server: they render without a browser, without effects and without numbers from the server's clock.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createElement, type FunctionComponent } from 'react';
import { renderToString } from 'react-dom/server';
import { readFailure } from '../client/index.ts';
import { useBuildEvents, useJob, useRetryCountdown, useSpillwayError } from './index.ts';

function rendered(component: FunctionComponent): string {
  return renderToString(createElement(component)).replaceAll('<!-- -->', '');
}

test('a countdown has no number on a server, and is ready only without a known time', () => {
  const html = rendered(() => {
    const waiting = useRetryCountdown(Date.now() + 60_000);
    const unknown = useRetryCountdown(undefined);
    return createElement('p', null, JSON.stringify([waiting, unknown]).replaceAll('"', ''));
  });
  assert.equal(html, '<p>[{text:,isReady:false},{text:,isReady:true}]</p>');
});

test('an error is found in every value that a page may have', () => {
  const failure = readFailure({
    error: { code: 'RATE_LIMITED', message: 'Busy.', queueAvailable: true },
  });
  const values = [
    failure,
    { kind: 'failed', failure },
    { error: { code: 'RATE_LIMITED', message: 'Busy.', queueAvailable: true } },
  ];
  for (const value of values) {
    const html = rendered(() => {
      const error = useSpillwayError(value);
      return createElement(
        'p',
        null,
        error?.message,
        ' ',
        String(error?.canRetry),
        ' ',
        String(error?.canQueue),
      );
    });
    assert.equal(html, '<p>Busy. true true</p>');
  }
});

test('a value without a failure shows none', () => {
  for (const value of [
    undefined,
    null,
    { kind: 'answer', data: {} },
    { failure: undefined },
    'text',
  ])
    assert.equal(
      rendered(() => createElement('p', null, typeof useSpillwayError(value))),
      '<p>undefined</p>',
    );
});

test('jobs and builds render empty and request nothing', () => {
  const fetch = () => assert.fail('a server follows nothing');
  const html = rendered(() => {
    const { job } = useJob('/v1/jobs/1', { fetch, storageKey: 'job' });
    const { events, connection } = useBuildEvents('/v1/builds/1/events', { fetch });
    return createElement('p', null, typeof job, events.length, connection);
  });
  assert.equal(html, '<p>undefined0connecting</p>');
});
