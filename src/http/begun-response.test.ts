import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBegunResponse } from './begun-response.ts';

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...fields })}\n\n`;
}

const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_794_000_000,
  instructions: 'data: {"type":"response.created","response":{"id":"resp_of_the_caller"}}',
  model: 'gpt-5-mini',
};

test('id, time and model of the first response are read', () => {
  const chunk = `: comment\n\n${event('keepalive', {})}${event('response.created', { response: RESPONSE })}`;
  assert.deepEqual(readBegunResponse(Buffer.from(chunk)), {
    id: 'resp_1',
    created_at: 1_794_000_000,
    model: 'gpt-5-mini',
  });
});

test('a response without a time or a model is identified by its id', () => {
  const chunk = event('response.created', { response: { id: 'resp_2', created_at: null } });
  assert.deepEqual(readBegunResponse(Buffer.from(chunk)), { id: 'resp_2' });
});

test('other events, and events that are not whole JSON, announce no response', () => {
  const whole = event('response.created', { response: RESPONSE });
  for (const chunk of [
    '',
    'data: [DONE]\n\n',
    event('response.in_progress', { response: RESPONSE }),
    event('response.created', { response: null }),
    event('response.created', { response: { model: 'm' } }),
    whole.slice(0, whole.length - 20),
  ])
    assert.equal(readBegunResponse(Buffer.from(chunk)), undefined, chunk);
});
