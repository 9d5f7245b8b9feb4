// Detects a refusal with status 200. A model that declines in its own words has answered, and the caller gets that
// answer. A response without model output that carries only the provider's reason (a blocked prompt, a filtered answer, a
// guardrail) is a failure, and failures leave as sealed errors. Thinking is not an answer: a refusal after it is the same
// failure as one without it. Pure. A body is parsed only when it is small and contains one
// of a few keywords; other bodies cost one search per keyword. Errors beside or among its choices: json/error-member.ts.

import { mapProviderError } from '../../errors/map-provider-error.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';

/** A response without content is small; a larger response has content. */
const MAX_REFUSAL_BYTES = 16 * 1024;

export function isRefusedAnswer(format: ProviderFormat, body: Buffer): boolean {
  if (body.length > MAX_REFUSAL_BYTES || !mayBeRefused(format, body)) return false;
  const answer = parse(body);
  return !HAS_CONTENT[format](answer) && isPolicy(answer);
}

/** Whether a stream that ended without content was refused, by its last events. */
export function isRefusedStream(lastBytes: Buffer): boolean {
  return isPolicy(lastBytes.toString('utf8', Math.max(0, lastBytes.length - READ_BYTES)));
}

/** The error mapper reads at most this much. */
const READ_BYTES = 8 * 1024;

function isPolicy(failure: unknown): boolean {
  return mapProviderError(failure).code === 'CONTENT_POLICY';
}

/**
 * Quotes within a text are escaped, so these match keys and values only. The beginning of `"refusal"` is enough to parse the
 * body; Node searches up to seven bytes by their first byte, which is three times as fast.
 */
const REFUSAL = Buffer.from('"refus');
const FILTER = Buffer.from('"content_filter"');
const PARTS = Buffer.from('"parts"');
const THOUGHT = Buffer.from('"thought"');

function mayBeRefused(format: ProviderFormat, body: Buffer): boolean {
  switch (format) {
    case 'anthropic':
      return body.includes(REFUSAL);
    case 'openai':
      return body.includes(FILTER);
    case 'gemini':
      return !body.includes(PARTS) || body.includes(THOUGHT);
  }
}

const HAS_CONTENT: Record<ProviderFormat, (answer: unknown) => boolean> = {
  anthropic: (answer) => listAt(answer, 'content').some(isFilled),
  openai: (answer) =>
    listAt(answer, 'output').some(isFilledItem) ||
    listAt(answer, 'choices').some((choice) => isFilledMessage(at(choice, 'message'))),
  gemini: (answer) =>
    listAt(answer, 'candidates').some((candidate) =>
      listAt(at(candidate, 'content'), 'parts').some(isNoThought),
    ),
};

/** Any block except thinking and empty text has content. */
function isFilled(block: unknown): boolean {
  const type = at(block, 'type');
  if (type === 'thinking' || type === 'redacted_thinking') return false;
  return type !== 'text' || at(block, 'text') !== '';
}

function isNoThought(part: unknown): boolean {
  return at(part, 'thought') !== true;
}

/** Reasoning is not an answer, and a message may be empty. */
function isFilledItem(item: unknown): boolean {
  if (at(item, 'type') !== 'message') return at(item, 'type') !== 'reasoning';
  return listAt(item, 'content').some(
    (part) => at(part, 'type') !== 'output_text' || at(part, 'text') !== '',
  );
}

function isFilledMessage(message: unknown): boolean {
  return CONTENT_FIELDS.some((name) => {
    const value = at(message, name);
    return Array.isArray(value) ? value.length > 0 : Boolean(value);
  });
}

const CONTENT_FIELDS = ['content', 'refusal', 'tool_calls', 'function_call'];

function at(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = at(value, name);
  return Array.isArray(list) ? list : [];
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
