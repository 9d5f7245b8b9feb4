// Decides whether a body with status 200 is an answer of its format. Some providers report failures with that status,
// proxies send pages of their own, and the Responses API returns a failed response as a response. None of them may reach
// the caller, because they contain internal text. Pure; the body is peeked at, not parsed.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { Usage } from '../../kernel/usage.ts';
import { NameTable } from '../json/name-table.ts';
import { type JsonSpan, peekFields, readString } from '../json/peek-fields.ts';
import { OPEN_BRACKET } from '../json/scan.ts';

/** A body that reports usage is an answer, unless its own status is `failed`. */
export function isAnswer(format: ProviderFormat, body: Buffer, usage: Usage | undefined): boolean {
  // Only OpenAI's format has such a status.
  if (usage) return format !== 'openai' || !body.includes(FAILED) || !isFailedResponse(body);
  const fields = ANSWER_FIELDS[format];
  const peeked = peekFields(body, ANSWER_NAMES[format]);
  if (!peeked.ok) return false;
  const error = peeked.fields.get('error');
  if (error && body.toString('latin1', error.start, error.end) !== 'null') return false;
  return fields.some((name) => isGiven(body, name, peeked.fields.get(name)));
}

/** Every answer of a format has at least one of these fields, token counts and embeddings included. */
const ANSWER_FIELDS: Record<ProviderFormat, readonly string[]> = {
  anthropic: ['content', 'input_tokens'],
  openai: ['choices', 'output', 'data', 'input_tokens'],
  gemini: ['candidates', 'promptFeedback', 'embedding', 'embeddings', 'totalTokens'],
};

const ANSWER_NAMES: Record<ProviderFormat, NameTable> = {
  anthropic: new NameTable([...ANSWER_FIELDS.anthropic, 'error']),
  openai: new NameTable([...ANSWER_FIELDS.openai, 'error']),
  gemini: new NameTable([...ANSWER_FIELDS.gemini, 'error']),
};

/** `output` is a list in the Responses API; elsewhere the name is used for an object. */
function isGiven(body: Buffer, name: string, value: JsonSpan | undefined): boolean {
  return value !== undefined && (name !== 'output' || body[value.start] === OPEN_BRACKET);
}

const STATUS_NAMES = new NameTable(['status', 'error']);
const FAILED = Buffer.from('"failed"');

/** The keyword may occur anywhere; only the response's own `status` decides. */
function isFailedResponse(body: Buffer): boolean {
  const peeked = peekFields(body, STATUS_NAMES);
  return peeked.ok && readString(body, peeked.fields.get('status')) === 'failed';
}
