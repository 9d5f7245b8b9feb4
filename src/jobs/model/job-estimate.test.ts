import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRunDurations } from './job-estimate.ts';

describe('run durations', () => {
  it("the average is a fixed guess at first, then the provider's, else the overall one", () => {
    const durations = createRunDurations();
    assert.equal(durations.averageRunMs('openai'), 5000);
    durations.observe('openai', 1000);
    assert.equal(durations.averageRunMs('openai'), 1000);
    assert.equal(durations.averageRunMs('gemini'), 1000);
    assert.equal(durations.averageRunMs(undefined), 1000);
  });

  it('the average moves gradually', () => {
    const durations = createRunDurations();
    durations.observe('openai', 1000);
    durations.observe('openai', 2000);
    assert.equal(durations.averageRunMs('openai'), 1100);
  });
});
