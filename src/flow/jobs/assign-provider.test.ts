import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newJob } from '../../jobs/intake/submit-job.ts';
import { newId } from '../../kernel/ids.ts';
import { createResolveTargets } from '../../routing/resolve-targets.ts';
import { createAssignProvider } from './assign-provider.ts';

const resolveTargets = createResolveTargets({
  providers: ['gemini', 'openai'].map((name) => ({
    name,
    format: 'openai' as const,
    baseUrl: 'https://p.example',
    region: 'global',
    accounts: [{ name: 'default', apiKey: 'k' }],
    models: [`${name}-*`],
  })),
  aliases: [],
  loadOf: () => 0,
});
const adopt = createAssignProvider({ name: 'gemini', defaultModel: 'gemini-main' }, resolveTargets);

function adopted(message: { model?: string; provider?: string }) {
  const submitter = { organizationId: 'default' };
  const given = { message, submitter, origin: 'queue', queue: 'q' } as const;
  const { provider, model } = adopt(newJob(given, newId, 0));
  return [provider, model];
}

test("a message on a provider's queue gets that provider and one of its models", () => {
  assert.deepEqual(adopted({}), ['gemini', 'gemini-main']);
  assert.deepEqual(adopted({ model: 'gemini-small' }), ['gemini', 'gemini-small']);
  assert.deepEqual(adopted({ model: 'openai-large' }), ['gemini', 'gemini-main']);
  assert.deepEqual(adopted({ provider: 'openai', model: 'nobody' }), ['gemini', 'gemini-main']);
});
