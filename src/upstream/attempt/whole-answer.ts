// Is what came with a status of 200 an answer? Some report a failure with that status, proxies say anything, and
// the Responses API gives a response that failed as a response. None of it may reach the caller as an answer: it has
// the provider's own words in it. Pure; the body is peeked at, not parsed.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { Usage } from '../../kernel/usage.ts';
import { type JsonSpan, peekFields, readString } from '../json/peek-json.ts';
import { OPEN_BRACKET } from '../json/peek-json-scan.ts';

/** An answer that tells its usage is one, unless it says itself that it failed. */
export function isAnswer(format: ProviderFormat, body: Buffer, usage: Usage | undefined): boolean {
  // Of the formats only OpenAI's has answers that say so.
  if (usage) return format !== 'openai' || !body.includes(FAILED) || !isFailedResponse(body);
  const fields = ANSWER_FIELDS[format];
  const peeked = peekFields(body, [...fields, 'error']);
  if (!peeked.ok) return false;
  const error = peeked.fields.get('error');
  if (error && body.toString('latin1', error.start, error.end) !== 'null') return false;
  return fields.some((name) => isGiven(body, name, peeked.fields.get(name)));
}

/** At least one of these is in every answer of a format, its counts and embeddings included. */
const ANSWER_FIELDS: Record<ProviderFormat, readonly string[]> = {
  anthropic: ['content', 'input_tokens'],
  openai: ['choices', 'output', 'data', 'input_tokens'],
  gemini: ['candidates', 'promptFeedback', 'embedding', 'embeddings', 'totalTokens'],
};

/** Others call an object so what the Responses API has as a list. */
function isGiven(body: Buffer, name: string, value: JsonSpan | undefined): boolean {
  return value !== undefined && (name !== 'output' || body[value.start] === OPEN_BRACKET);
}

const FAILED = Buffer.from('"failed"');

/** The word may stand anywhere; only the response's own status says that it failed. */
function isFailedResponse(body: Buffer): boolean {
  const peeked = peekFields(body, ['status', 'error']);
  return peeked.ok && readString(body, peeked.fields.get('status')) === 'failed';
}
