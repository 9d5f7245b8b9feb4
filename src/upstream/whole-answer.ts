// Is what came with a status of 200 an answer? Some report a failure with that status, proxies say anything, and
// the Responses API gives a response that failed as a response. None of it may reach the caller as an answer: it has
// the provider's own words in it. Pure; the body is peeked at, not parsed.

import type { Usage } from '../kernel/usage.ts';
import { peekFields, readString } from './peek-json.ts';

/** An answer that tells its usage is one, unless it says itself that it failed. */
export function isAnswer(body: Buffer, usage: Usage | undefined): boolean {
  if (usage) return !body.includes(FAILED) || !isFailedResponse(body);
  const peeked = peekFields(body, PEEKED_FIELDS);
  if (!peeked.ok) return false;
  const error = peeked.fields.get('error');
  if (error && body.toString('latin1', error.start, error.end) !== 'null') return false;
  return ANSWER_FIELDS.some((name) => peeked.fields.has(name));
}

/** At least one of these is in every answer of the formats we speak. */
const ANSWER_FIELDS = [
  'content',
  'choices',
  'output',
  'candidates',
  'promptFeedback',
  'data',
  'embedding',
  'embeddings',
  'input_tokens',
  'totalTokens',
] as const;
const PEEKED_FIELDS = [...ANSWER_FIELDS, 'error'] as const;

const FAILED = Buffer.from('"failed"');

/** The word may stand anywhere; only the response's own status says that it failed. */
function isFailedResponse(body: Buffer): boolean {
  const peeked = peekFields(body, ['status', 'error']);
  return peeked.ok && readString(body, peeked.fields.get('status')) === 'failed';
}
