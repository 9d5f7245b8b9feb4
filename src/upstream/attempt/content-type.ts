// What the caller is told of an answer's kind: one of ours, since a header's parameters can say anything.

import type { UpstreamHeaders } from '../upstream.ts';

const JSON_TYPE = 'application/json';

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  [JSON_TYPE, JSON_TYPE],
  ['text/event-stream', 'text/event-stream; charset=utf-8'],
]);

export function contentTypeOf(headers: UpstreamHeaders): string {
  const value = headers['content-type'];
  return (typeof value === 'string' && CONTENT_TYPES.get(mediaType(value))) || JSON_TYPE;
}

function mediaType(value: string): string {
  const end = value.indexOf(';');
  return end === -1 ? value : value.slice(0, end).trimEnd();
}
