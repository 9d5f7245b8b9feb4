// Query parameters that may reach a provider. A parameter can change what an answer contains: Gemini's `fields` removes the
// usage, and with it the basis of the charge. So parameters pass by an allow-list, and any other is refused by name. Pure.

import type { ProviderFormat } from '../kernel/provider-format.ts';
import type { NativeRoute } from './native-route.ts';

/** `alt` chooses the form of Gemini's answer; `beta` is sent by Anthropic's SDK; `api-version` by Azure's clients. */
const ALLOWED: Readonly<Record<ProviderFormat, ReadonlySet<string>>> = {
  anthropic: new Set(['beta']),
  openai: new Set(['api-version']),
  gemini: new Set(['alt']),
};

export type CheckedQuery = { readonly query: string } | { readonly refused: string };

/** The query to send, with its `?`, or the name of a parameter that may not pass. */
export function checkQuery(
  { format, query, isStreamPath }: Pick<NativeRoute, 'format' | 'query' | 'isStreamPath'>,
  alsoAllowed: ReadonlySet<string>,
): CheckedQuery {
  if (query === '') return { query };
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const isAllowed = ALLOWED[format].has(name) || alsoAllowed.has(name);
    if (!isAllowed || seen.has(name)) return { refused: name };
    // Other forms of an answer (protocol buffers, events for a unary call) have no readable usage.
    if (name === 'alt' && value !== 'json' && !(value === 'sse' && isStreamPath))
      return { refused: name };
    seen.add(name);
  }
  return { query: `?${new URLSearchParams(query).toString()}` };
}
