import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knowsNewMaximum, knowsUsageOption } from './chat-fields.ts';

const at = (provider: string, origin = 'http://127.0.0.1:9') => ({ provider, origin });

test('only the API of Mistral itself refuses the option of the usage', () => {
  assert.equal(knowsUsageOption(at('mistral', 'https://api.mistral.ai')), false);
  assert.equal(knowsUsageOption(at('mistral')), true);
  assert.equal(knowsUsageOption(at('other', 'https://mistral.ai.example')), true);
});

test('providers that document the older maximum alone are found by name and by address', () => {
  for (const old of [
    at('deepseek'),
    at('own', 'https://api.deepseek.com'),
    at('zai'),
    at('z.ai'),
    at('own', 'https://api.z.ai'),
    at('own', 'https://open.bigmodel.cn'),
    at('own', 'https://api.mistral.ai'),
  ])
    assert.equal(knowsNewMaximum(old), false, JSON.stringify(old));
  for (const provider of ['openai', 'azure', 'groq', 'xai', 'openrouter', 'vllm', 'zebra'])
    assert.equal(knowsNewMaximum(at(provider)), true, provider);
  assert.equal(knowsNewMaximum(at('own', 'https://buzz.ai')), true);
});
