// A provider that inserts a caller's words without quotes into the sentence of a real refusal teaches other organisations no more
// than with harmless words in the same position.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { judgeProviderError } from '../../map-provider-error.ts';
import { createPhraseBook } from '../text/phrase-book.ts';
import { callerTextOf, type SentText } from './caller-text.ts';
import type { Lesson } from './lesson.ts';

const NOW = 1_800_000_000_000;
const HARMLESS = 'plain';

const SENTENCES = `Rate limit exceeded for {x}
Rate limit reached for {x} in organization org-1 on requests per min (RPM): Limit 3, Used 3.
Rate limit exceeded: {x}. High demand for {x} on OpenRouter, limited to 20 requests.
Quota exceeded for quota metric {x}
You exceeded {x}
You have exceeded {x}
You've reached {x}, please try later
You've hit {x}
You have {x} left
Your {x} has been exhausted. Please wait.
{x} is overloaded
{x} has been exhausted
{x} exceeded
{x} reached
{x} limit exceeded
The {x} limit was reached
Key {x} exceeded
This key may send 3 requests per {x}
Insufficient {x}
Not enough {x}
No {x} remaining for this account
Too many requests from {x} and {x}
The user {x} is limited to 100 calls in 24 hours
Too many requests. Please try again in {x}
Too many requests. Please try again in {x}s
Too many requests until {x}
Too many requests, {x} in 20 hours
Too many requests, {x}: 3000 seconds
Too many requests, try again {x} seconds
{x}s reached
Exceed your {x}'s rate limit
账户{x}
{x}不足`.split('\n');

const BOOK = createPhraseBook();
const WORDS = [...new Set(BOOK.flatMap(({ text }) => text.replaceAll(/[*#]/g, '').split(' ')))];
const TIMES = [
  'in 700 hours',
  '700 hours',
  '20',
  '9999.5',
  'until 2027-03-01',
  'try again',
  'retry after',
];

/** A phrase, or a beginning, an end or the middle of one. */
const pieces = fc
  .tuple(
    fc.constantFrom(...BOOK.map(({ text }) => text.replaceAll(/[*#]/g, ''))),
    fc.nat(),
    fc.nat(),
  )
  .map(([text, a, b]) => {
    const words = text.split(' ');
    const from = a % words.length;
    return words.slice(from, from + 1 + (b % (words.length - from))).join(' ');
  });
const callerWords = fc
  .array(fc.oneof(pieces, pieces, fc.constantFrom(...WORDS), fc.constantFrom(...TIMES)), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((parts) => fc.constantFrom(' ', ' ', '-', '_', ', ').map((by) => parts.join(by)));

/** Where the words stand in the request. */
const PLACES: readonly ((words: string) => Partial<SentText>)[] = [
  (words) => bodyOf({ user: words }),
  (words) => bodyOf({ model: `vendor/${words}` }),
  (words) => bodyOf({ metadata: { note: `team:${words}` } }),
  (words) => bodyOf({ messages: [{ content: [{ type: 'text', text: words }] }] }),
  (words) => bodyOf({ messages: [{ content: `${words}\nand more of the prompt` }] }),
  (words) => bodyOf({ tool_calls: [{ arguments: JSON.stringify({ 'a"b': [{ x: words }] }) }] }),
  (words) => ({ headers: ['x-title', words] }),
  (words) => ({ path: `/v1/models/${encodeURIComponent(words)}:generate?q=1` }),
  (words) => ({ path: `/v1/models?q=${encodeURIComponent(words)}` }),
  (words) => ({ body: Buffer.from(JSON.stringify({ user: words }).replaceAll('u', '\\u0075')) }),
];

function bodyOf(fields: object): Pick<SentText, 'body'> {
  return { body: Buffer.from(JSON.stringify({ temperature: 1, ...fields })) };
}

test('words of a request that a provider joins to its own teach no more than harmless words', () => {
  const property = fc.property(
    fc.constantFrom(...SENTENCES),
    callerWords,
    fc.constantFrom(...PLACES),
    fc.constantFrom(402, 403, 429),
    fc.constantFrom({}, { 'retry-after': '30' }, { 'retry-after': '600' }),
    (sentence, words, place, status, headers) => {
      const sent = { path: '/v1/x', headers: [], body: Buffer.from('{}'), ...place(words) };
      const lessonOf = (said: string) => {
        const error = { message: sentence.replaceAll('{x}', () => said) };
        const failure = { status, headers, body: JSON.stringify({ error }) };
        const context = { now: NOW, model: 'gpt-4o', callerText: callerTextOf(sent) };
        return judgeProviderError(failure, context).lesson;
      };
      const [taught, harmless] = [lessonOf(words), lessonOf(HARMLESS)];
      assert.ok(
        blockedMs(taught) <= blockedMs(harmless),
        JSON.stringify({
          sentence,
          words,
          place: String(place),
          status,
          headers,
          taught,
          harmless,
        }),
      );
    },
  );
  fc.assert(property, { numRuns: 5000 });
});

/** How long the lesson stops other organisations; a limit of the account stops more calls than a limit of a model. */
function blockedMs({ code, retryAfterMs, resetAt, isModelBound }: Lesson): number {
  const statedMs = resetAt === undefined ? retryAfterMs : resetAt - NOW;
  if (code === 'AI_LIMIT_REACHED') return (statedMs ?? 300_000) * (isModelBound ? 1 : 1000);
  return code === 'RATE_LIMITED' ? (retryAfterMs ?? statedMs ?? 0) : 0;
}
