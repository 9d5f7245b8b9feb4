import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayUse } from './may-use.ts';

const GPT = { provider: 'openai', model: 'gpt-5' };

function may(allowed: readonly string[], name: string, target = GPT): boolean {
  return mayUse(new Set(allowed), name, target);
}

test('a missing list and a single star allow every model', () => {
  assert.equal(mayUse(undefined, 'gpt-5', GPT), true);
  assert.equal(may(['*'], 'openai/gpt-5'), true);
  assert.equal(may([], 'gpt-5'), false);
});

test('a list allows a model by its name, by provider/model or by a pattern', () => {
  for (const listed of ['gpt-5', 'openai/gpt-5', 'gpt-*', 'openai/*', '*-5'])
    assert.equal(may([listed], 'gpt-5'), true, listed);
  for (const listed of ['gpt-4', 'groq/gpt-5', 'claude-*', 'gpt', ''])
    assert.equal(may([listed], 'gpt-5'), false, listed);
});

test('a listed model is allowed in every spelling of the request', () => {
  assert.equal(may(['gpt-5'], 'openai/gpt-5'), true);
  assert.equal(may(['openai/gpt-5'], 'gpt-5'), true);
});

test('a listed alias allows its targets, and a listed target is allowed through an alias', () => {
  assert.equal(may(['fast'], 'fast'), true);
  assert.equal(may(['gpt-*'], 'fast'), true);
  assert.equal(may(['slow'], 'fast'), false);
});

test('a pattern without a slash does not match a provider prefix', () => {
  const elsewhere = { provider: 'openrouter', model: 'claude-opus-5' };
  assert.equal(may(['o*'], 'openrouter/claude-opus-5', elsewhere), false);
  const nested = { provider: 'groq', model: 'openai/gpt-oss-120b' };
  assert.equal(may(['o*'], 'groq/openai/gpt-oss-120b', nested), false);
  assert.equal(may(['groq/*'], 'groq/openai/gpt-oss-120b', nested), true);
});
