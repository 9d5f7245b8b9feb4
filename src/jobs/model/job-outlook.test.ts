import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createJobPaces } from './job-outlook.ts';

describe('the pace of jobs', () => {
  it('is a guess at first, then what was seen, of the provider if it is known', () => {
    const paces = createJobPaces();
    assert.equal(paces.averageRunMs('openai'), 5000);
    paces.observe('openai', 1000);
    assert.equal(paces.averageRunMs('openai'), 1000);
    assert.equal(paces.averageRunMs('gemini'), 1000);
    assert.equal(paces.averageRunMs(undefined), 1000);
  });

  it('follows a change without jumping', () => {
    const paces = createJobPaces();
    paces.observe('openai', 1000);
    paces.observe('openai', 2000);
    assert.equal(paces.averageRunMs('openai'), 1100);
  });
});
