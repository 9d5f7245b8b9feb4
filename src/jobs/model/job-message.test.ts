import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { parseJobMessage } from './job-message.ts';

describe('a job message', () => {
  it('every field is parsed', () => {
    const fields = {
      organizationId: 'acme',
      userId: 'u',
      provider: 'openai',
      model: 'gpt-5',
      prompt: 'hi',
      images: ['https://example.com/a.png', 'data:image/png;base64,AAAA'],
      request: { messages: [] },
      format: 'openai',
      priority: 9,
      deadline: 1_900_000_000_000,
      callbackUrl: 'https://example.com/hook',
      metadata: { any: ['thing'] },
    };
    const message = parseJobMessage({ AnalysisId: 'A1', unknown: 'left out', ...fields });
    assert.deepEqual(message, { ...fields, id: 'A1' });
  });

  it('the model of the request body is used unless the message has one', () => {
    const request = { model: 'claude-sonnet-4-5', messages: [] };
    assert.equal(parseJobMessage({ request }).model, 'claude-sonnet-4-5');
    assert.equal(parseJobMessage({ request, model: null }).model, 'claude-sonnet-4-5');
    assert.equal(parseJobMessage({ request, model: 'gpt-5' }).model, 'gpt-5');
    for (const model of [7, '', null, 'x'.repeat(257)])
      assert.equal('model' in parseJobMessage({ request: { model } }), false);
  });

  it('a flag of the request with another type than boolean is refused by name', () => {
    for (const name of ['stream', 'background']) {
      for (const value of [1, 'true', [], {}])
        assert.throws(() => parseJobMessage({ request: { messages: [], [name]: value } }), {
          code: 'INVALID_REQUEST',
          params: { field: `request.${name}` },
        });
      for (const value of [true, false, null, undefined])
        parseJobMessage({ request: { messages: [], [name]: value } });
    }
  });

  it('numeric ids, text dates and null are accepted', () => {
    const message = parseJobMessage({
      AnalysisId: 42,
      prompt: 'x',
      provider: null,
      deadline: '2030-01-01T00:00:00Z',
    });
    assert.deepEqual(message, { id: '42', prompt: 'x', deadline: Date.UTC(2030, 0) });
  });

  for (const [field, value] of [
    ['id', ''],
    ['id', 'a\u0000b'],
    ['id', 'a\ud800'],
    ['id', 'x'.repeat(201)],
    ['AnalysisId', {}],
    ['priority', 10],
    ['priority', 1.5],
    ['format', 'cobol'],
    ['images', ['file:///etc/passwd']],
    ['images', 'https://example.com/not-a-list.png'],
    ['callbackUrl', 'javascript:alert(1)'],
    ['deadline', -1],
    ['deadline', 'tomorrow'],
    ['metadata', []],
    ['metadata', { big: 'x'.repeat(20_000) }],
    ['request', 'text'],
  ] as const) {
    it(`refuses ${JSON.stringify(value).slice(0, 40)} as ${field} and names the field`, () => {
      assert.deepEqual(fieldOf({ prompt: 'x', [field]: value }), field);
    });
  }

  it('a prompt or a request is required', () => {
    assert.equal(fieldOf({ id: 'x' }), 'prompt');
    assert.equal(fieldOf({ id: 'x', prompt: '' }), 'prompt');
    assert.ok(parseJobMessage({ request: {} }));
  });

  it('any value gives a message or INVALID_REQUEST', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        try {
          parseJobMessage(value);
        } catch (thrown) {
          assert.ok(thrown instanceof SpillwayError && thrown.code === 'INVALID_REQUEST');
        }
      }),
    );
  });
});

function fieldOf(value: unknown): string | undefined {
  try {
    parseJobMessage(value);
  } catch (thrown) {
    assert.ok(thrown instanceof SpillwayError);
    assert.equal(thrown.code, 'INVALID_REQUEST');
    return thrown.params.field;
  }
  return assert.fail('it was taken');
}
