import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FAILURES } from './fixtures/all-failures.ts';
import { isProviderText } from './provider-text.ts';

/** Texts of failures that say nothing about a provider. */
const SILENT = new Set(['{}', '[object Object]', 'error code: 1015']);

const TEXTS = Object.values(FAILURES)
  .flat()
  .filter(({ code }) => code !== 'INTERNAL')
  .map(({ failure }) => textOf(failure))
  .filter((text) => text.trim() !== '' && !SILENT.has(text));

test('the text of every known failure is recognised in a text about a failure', () => {
  assert.ok(TEXTS.length > 250);
  assert.deepEqual(
    TEXTS.filter((text) => !isProviderText(text, true)),
    [],
  );
});

test('most known failures are recognised in any text', () => {
  const missed = TEXTS.filter((text) => !isProviderText(text, false));
  assert.ok(missed.length <= 20, missed.join('\n'));
  assert.deepEqual(
    missed.filter((text) => /anthropic|claude|openai|gemini/i.test(text)),
    [],
  );
});

const OWN_TEXTS = [
  'Implementing rate limiting middleware',
  'Adding a timeout to the network layer',
  'Overloaded operators in C++',
  'Using Claude to write tests',
  'Running tests: 3 of 5',
  'Credits page created',
  'claude-sonnet-5',
  'https://example.com/preview',
  '<!DOCTYPE html><html><head><title>My shop</title></head><body>Request timed out?</body></html>',
  'export const answer = { "error": null, "data": [] };',
  '{"name":"shop","version":"1.0.0","errors":[]}',
  'if (config.internal) start(module.svc);',
];

for (const text of OWN_TEXTS)
  test(`a product's own text is not a provider failure: ${text}`, () => {
    assert.equal(isProviderText(text, false), false);
  });

test("a product's own text about a failure passes if it names no vendor and no known failure", () => {
  for (const text of ['Build failed', 'Deployment stopped in step 3', 'claude-sonnet-5'])
    assert.equal(isProviderText(text, true), false, text);
  assert.equal(isProviderText('Claude stopped answering', true), true);
  assert.equal(isProviderText('step 3 with token=abcdef123456', true), true);
});

test('a stack frame, an internal host and the epoch of a limit are recognised anywhere', () => {
  for (const text of [
    'boom at run (/srv/app.js:10:5)',
    'no answer of db-7.internal',
    'Stopped |1754636400',
  ])
    assert.equal(isProviderText(text, false), true, text);
});

test('never throws and stays linear on arbitrary text', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2000 }), fc.boolean(), (text, isAboutFailure) => {
      assert.equal(typeof isProviderText(text, isAboutFailure), 'boolean');
    }),
  );
  for (const piece of ['at ', '{"', '|1', 'a.', '"error" ', 'Error', '1-', '<h1>', 'a.internal'])
    isProviderText(piece.repeat(100_000), true);
});

function textOf(failure: unknown): string {
  if (failure instanceof Error) return `${failure.name}: ${failure.message}`;
  const isResponse = typeof failure === 'object' && failure !== null && 'body' in failure;
  const body: unknown = isResponse ? failure.body : failure;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  return typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
}
