import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRunDurations } from './job-estimate.ts';

describe('the pace of jobs', () => {
  it('is a guess at first, then what was seen, of the provider if it is known', () => {
    const durations = createRunDurations();
    assert.equal(durations.averageRunMs('openai'), 5000);
    durations.observe('openai', 1000);
    assert.equal(durations.averageRunMs('openai'), 1000);
    assert.equal(durations.averageRunMs('gemini'), 1000);
    assert.equal(durations.averageRunMs(undefined), 1000);
  });

  it('follows a change without jumping', () => {
    const durations = createRunDurations();
    durations.observe('openai', 1000);
    durations.observe('openai', 2000);
    assert.equal(durations.averageRunMs('openai'), 1100);
  });
});
