// A refusal that quotes the request, as providers do: field names, values, headers and the path, in the middle of a
// sentence. Tests use it to show that one caller's words decide nothing for other callers.

import type { IncomingMessage } from 'node:http';
import { isRecord } from '../read-json.ts';

/** Where the request's text stands in the message. */
export const ECHOES = ['before', 'after', 'quoted', 'json'] as const;
export type Echo = (typeof ECHOES)[number];

const MAX_CHARACTERS = 4_000;

export function echoMessage(
  echo: Echo,
  request: Pick<IncomingMessage, 'url' | 'headers'>,
  json: unknown,
): string {
  if (echo === 'json') return `Invalid request: ${JSON.stringify(json).slice(0, MAX_CHARACTERS)}`;
  const text = [...textsIn(json), pathOf(request.url ?? ''), ...headersOf(request)].join(' ');
  const quoted = text.slice(0, MAX_CHARACTERS);
  if (echo === 'before') return `${quoted}: Extra inputs are not permitted`;
  return echo === 'after'
    ? `Invalid value: ${quoted}`
    : `Unexpected value '${quoted}' in the request`;
}

/** Every field name and every text of a JSON value. */
function* textsIn(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const each of value) yield* textsIn(each);
  else if (isRecord(value))
    for (const [name, field] of Object.entries(value)) {
      yield name;
      yield* textsIn(field);
    }
}

function pathOf(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

const SECRETS: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'x-goog-api-key']);

function headersOf({ headers }: Pick<IncomingMessage, 'headers'>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    SECRETS.has(name) || value === undefined ? [] : [value].flat(),
  );
}
