// The text of a unary response in any of the formats. Pure; a response without text gives an empty string.

import type { ProviderFormat } from '../../kernel/provider-format.ts';

export function answerText(format: ProviderFormat, response: unknown): string {
  switch (format) {
    case 'anthropic':
      return joinTexts(listAt(response, 'content'));
    case 'openai':
      return openaiText(response);
    case 'gemini':
      return geminiText(response);
  }
}

/** Chat Completions has choices, of which the first counts; the Responses API has items, of which messages have text. */
function openaiText(response: unknown): string {
  const [choice] = listAt(response, 'choices');
  if (choice !== undefined) return textOf(fieldOf(fieldOf(choice, 'message'), 'content'));
  const items = listAt(response, 'output').filter((item) => fieldOf(item, 'type') === 'message');
  return items.map((item) => textOf(fieldOf(item, 'content'))).join('');
}

/** A thought is a text part marked `thought`. */
function geminiText(response: unknown): string {
  const [candidate] = listAt(response, 'candidates');
  const parts = listAt(fieldOf(candidate, 'content'), 'parts');
  return joinTexts(parts.filter((part) => fieldOf(part, 'thought') !== true));
}

function joinTexts(parts: readonly unknown[]): string {
  return parts.map((part) => textOf(fieldOf(part, 'text'))).join('');
}

/** OpenAI's content is a string, or a list of parts. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? joinTexts(value) : '';
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list : [];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
